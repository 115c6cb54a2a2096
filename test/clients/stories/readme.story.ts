/**
 * Runs the SDK snippets of the project's README, each on a new node; only the port is changed. The output of a snippet is compared with the
 * comments after its `console.log` lines.
 */
import { expect, test } from 'bun:test';
import { startProgramAsUsers } from '../../program.ts';

const readme = await Bun.file(new URL('../../../README.md', import.meta.url)).text();
const snippets = [...readme.matchAll(/```js\n(\/\/ npm install (\S+)\n[\s\S]*?)```\n/g)].map(([, code, sdk]) => ({
  code: code!,
  sdk: sdk!,
}));

test('the README has a snippet for avalanchejs and every SDK of the Data and Metrics APIs', () => {
  expect(snippets.map(({ sdk }) => sdk)).toEqual([
    '@avalabs/avalanchejs',
    '@avalanche-sdk/chainkit',
    '@avalabs/avacloud-sdk',
    '@avalabs/glacier-sdk',
  ]);
});

for (const { sdk, code } of snippets)
  test(`README: ${sdk}`, async () => {
    const expected = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, said]) => said);
    expect(expected.length).toBeGreaterThan(0);
    const node = await startProgramAsUsers();
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
      await node.stop();
    }
  }, 30_000);
