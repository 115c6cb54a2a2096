/**
 * Runs the SDK snippets of the project's README, docs/start/sdks.md and docs/reference/methods.md, each on a new chain; only the port is changed.
 * The output of a snippet is compared with the comments after its `console.log` lines. A snippet that calls another machine fails
 * (loopback-only.ts).
 */
import { afterAll, expect, test } from 'bun:test';
import { type Program, startProgramAsUsers } from '../../program.ts';
import { sdks } from '../sdks/sdks.ts';

const snippetsOf = async (page: string) =>
  [
    ...(await Bun.file(new URL(`../../../${page}`, import.meta.url)).text()).matchAll(/```js\n(\/\/ npm install ([^\n]+)\n[\s\S]*?)```\n/g),
  ].map(([, code, install]) => ({ page, code: code!, install: install! }));
const snippets = [...(await snippetsOf('README.md')), ...(await snippetsOf('docs/start/sdks.md'))];
const methodSnippets = await snippetsOf('docs/reference/methods.md');

test('the README has a snippet for avalanchejs, docs/start/sdks.md one for every other SDK', () => {
  expect(snippets.map(({ page, install }) => `${page} ${install}`)).toEqual([
    'README.md @avalabs/avalanchejs@5.2.0',
    ...sdks.map(({ install }) => `docs/start/sdks.md ${install}`),
  ]);
});

test('docs/reference/methods.md has a snippet for impersonation', () => {
  expect(methodSnippets.map(({ code }) => code.includes("dev('impersonate'"))).toEqual([true]);
});

test('the versions that the pages name are those of this package', async () => {
  const { devDependencies } = (await Bun.file(new URL('../package.json', import.meta.url)).json()) as {
    devDependencies: Record<string, string>;
  };
  const named = snippets.flatMap(({ install }) => install.split(' ').map((one) => /^(@?[^@]+)@(.+)$/.exec(one)?.slice(1) ?? [one]));
  expect(named).toEqual(named.map(([name]) => [name, devDependencies[name as string]]) as never);
});

/** One node for each command line; it is taken back to its first block before each snippet. */
const nodes = new Map<string, Promise<Program>>();
afterAll(async () => {
  for (const node of nodes.values()) await (await node).stop();
});

async function openNewChain(flags: string): Promise<Program> {
  const started = nodes.get(flags);
  if (started === undefined) {
    const node = startProgramAsUsers(...flags.split(' ').filter((flag) => flag !== ''));
    nodes.set(flags, node);
    return node;
  }
  await (await started).client.call('/ext/dev', 'dev.reset');
  return started;
}

for (const { page, install, code } of [...snippets, ...methodSnippets])
  test(`${page}: ${install}`, async () => {
    const expected = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, said]) => said);
    expect(expected.length).toBeGreaterThan(0);
    const command = sdks.find((sdk) => page.endsWith('/sdks.md') && sdk.install === install)?.serac ?? 'serac';
    const node = await openNewChain(command.replace(/^serac ?/, ''));
    const here = code.replaceAll('http://127.0.0.1:9650', node.url).replace("'127.0.0.1', 9650,", `'127.0.0.1', ${node.port},`);
    expect(here).not.toBe(code);
    const child = Bun.spawn([process.execPath, '-e', here], {
      cwd: new URL('..', import.meta.url).pathname,
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [out, err, exitCode] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
    expect({ out: out.trimEnd().split('\n'), err, exitCode }).toEqual({ out: expected as string[], err: '', exitCode: 0 });
  }, 60_000);
