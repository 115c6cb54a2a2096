import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromiumBinary, openChromium } from '../test/chromium.ts';
import { startDevNode } from '../test/dev-node.ts';
import { makeExplorerSample } from '../test/explorer-sample.ts';
import { eventually } from '../test/processes.ts';

/**
 * Takes pictures of all pages of the explorer, in three sizes and both themes: `bun tools/explorer-screenshots.ts DIR`. Look at them after a
 * change of views or styles: the tests find pages that are too wide or not accessible, not those that look wrong.
 */
const [directory] = process.argv.slice(2);
const binary = chromiumBinary();
if (directory === undefined || binary === undefined) throw new Error('usage: bun tools/explorer-screenshots.ts DIR; needs Chromium');

const sizes = [
  { name: 'desktop', width: 1440, height: 900 },
  { name: 'tablet', width: 768, height: 1024 },
  { name: 'phone', width: 390, height: 844 },
];

mkdirSync(directory, { recursive: true });
const node = await startDevNode('in memory', '--accounts=3');
const page = await openChromium(binary);
try {
  const { paths } = await makeExplorerSample(node);
  const isLive = (): Promise<boolean> => page.run(`document.querySelector('.stream-state.live') !== null`);
  for (const { name, ...size } of sizes)
    for (const isDark of [false, true]) {
      await page.emulate({ ...size, isDark, reducesMotion: true });
      for (const [at, path] of paths.entries()) {
        await page.open(node.program().url + path);
        await eventually(isLive, (value) => value);
        const word = path.split(/[/?]/)[1] || 'home';
        const file = `${String(at).padStart(2, '0')}-${word}-${name}-${isDark ? 'dark' : 'light'}.png`;
        await Bun.write(join(directory, file), await page.screenshot());
      }
    }
} finally {
  await page.close();
  await node.stop();
}
