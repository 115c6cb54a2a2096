/**
 * The SDK snippets of the project's README, taken from its text and run as they stand but for the port, on a fresh node each. What a
 * snippet prints is compared with the comments behind its `console.log` lines.
 */
import { expect, test } from 'bun:test';
import { startNode } from './node.ts';

const readme = await Bun.file(new URL('../../../README.md', import.meta.url)).text();
const snippets = [...readme.matchAll(/```js\n(\/\/ npm install (\S+)\n[^`]*)```/g)].map(([, code, sdk]) => ({ code: code!, sdk: sdk! }));

test('the README has a snippet for every SDK of the two interfaces', () => {
  expect(snippets.map(({ sdk }) => sdk)).toEqual(['@avalanche-sdk/chainkit', '@avalabs/avacloud-sdk', '@avalabs/glacier-sdk']);
});

for (const { sdk, code } of snippets)
  test(`README: ${sdk}`, async () => {
    const expected = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, said]) => said);
    expect(expected.length).toBeGreaterThan(0);
    const node = await startNode();
    try {
      const here = code.replaceAll('http://127.0.0.1:9650', node.url);
      expect(here).not.toBe(code);
      const child = Bun.spawn([process.execPath, '-e', here], {
        cwd: new URL('..', import.meta.url).pathname,
        stdout: 'pipe',
        stderr: 'pipe',
      });
      const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
      expect({ out: out.trimEnd().split('\n'), err }).toEqual({ out: expected as string[], err: '' });
    } finally {
      await node.close();
    }
  }, 30_000);
