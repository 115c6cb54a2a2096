import { expect, test } from 'bun:test';
import { fileURLToPath } from 'node:url';

test('each colour is written once, for both themes: by choice, by the system, and light on paper', async () => {
  const { outputs } = await Bun.build({
    entrypoints: [fileURLToPath(new URL('page.css', import.meta.url))],
    target: 'browser',
    minify: true,
  });
  const css = (await outputs[0]?.text()) ?? '';
  const source = await Bun.file(new URL('tokens.css', import.meta.url)).text();
  const colours = [...source.matchAll(/(--[\w-]+): light-dark\((#\w+), (#\w+)\);/g)];
  expect(colours.length).toBeGreaterThan(30);
  // The page has them where the system asks for dark, and where the reader has chosen.
  expect(css).toMatch(/@media \(prefers-color-scheme:dark\)\{:root\{/);
  for (const theme of ['dark', 'light']) expect(css).toMatch(new RegExp(`:root\\[data-theme="?${theme}"?\\]\\{[^}]*color-scheme:${theme}`));
  expect(css).toMatch(/@media print\{:root:root\{[^}]*color-scheme:light/);
  for (const [, name] of colours) expect([name, source.split(`${name}: light-dark(`).length]).toEqual([name, 2]);
  expect(source).not.toContain('prefers-color-scheme');
});
