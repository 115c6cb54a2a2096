/**
 * Runs the SDK snippets of the project's README, docs/start/from-avacloud.md and docs/reference/methods.md, each on a new node; only the port is
 * changed. The output of a snippet is compared with the comments after its `console.log` lines.
 */
import { expect, test } from 'bun:test';
import { startProgramAsUsers } from '../../program.ts';

const snippetsOf = async (page: string) =>
  [
    ...(await Bun.file(new URL(`../../../${page}`, import.meta.url)).text()).matchAll(/```js\n(\/\/ npm install (\S+)\n[\s\S]*?)```\n/g),
  ].map(([, code, sdk]) => ({ page, code: code!, sdk: sdk! }));
const snippets = [...(await snippetsOf('README.md')), ...(await snippetsOf('docs/start/from-avacloud.md'))];
const methodSnippets = await snippetsOf('docs/reference/methods.md');

test('the README has a snippet for avalanchejs, docs/start/from-avacloud.md one for every SDK of the Data and Metrics APIs', () => {
  expect(snippets.map(({ page, sdk }) => `${page} ${sdk}`)).toEqual([
    'README.md @avalabs/avalanchejs@5.2.0',
    'docs/start/from-avacloud.md @avalanche-sdk/chainkit',
    'docs/start/from-avacloud.md @avalabs/avacloud-sdk',
    'docs/start/from-avacloud.md @avalabs/glacier-sdk',
  ]);
});

test('docs/reference/methods.md has a snippet for impersonation', () => {
  expect(methodSnippets.map(({ code }) => code.includes("dev('impersonate'"))).toEqual([true]);
});

for (const { page, sdk, code } of [...snippets, ...methodSnippets])
  test(`${page}: ${sdk}`, async () => {
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
