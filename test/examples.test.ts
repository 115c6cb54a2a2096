import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Glob } from 'bun';
import { readPlans } from '../src/api/access/plans.ts';
import { services } from '../src/api/contract/services.ts';
import { listRouteIds } from '../src/app/servers/access.ts';
import { type Program, runProgram, startProgram, startProgramAsUsers } from './program.ts';

/** Runs every example in the documentation, with another port, and compares the response. */

const root = new URL('..', import.meta.url).pathname;
// The numbers of events continue after a reset of the chain, so docs/reference/events.md is first.
const pages = [...new Set(['docs/reference/events.md', 'README.md', ...new Glob('docs/**/*.md').scanSync(root)])];
const examples = (
  await Promise.all(
    pages.map(async (page) => {
      const text = await Bun.file(root + page).text();
      return [...text.matchAll(/```sh\n(curl [^`]*)```\n```json\n([^`]*)```/g)].map(([, command, answer]) => ({
        page,
        command: command!,
        answer: answer!,
      }));
    }),
  )
).flat();

/** Examples may issue transactions, so the chain is reset before each page. Those of docs/reference/methods.md start without blocks (--accounts 0). */
const nodes: Program[] = [];
beforeAll(async () => {
  nodes.push(await startProgramAsUsers(), await startProgram());
});
afterAll(() => Promise.all(nodes.map((node) => node.stop())));

let lastPage: string | undefined;
async function nodeOf(page: string): Promise<Program> {
  const node = nodes[page === 'docs/reference/methods.md' ? 1 : 0] as Program;
  if (lastPage !== undefined && page !== lastPage) expect(await node.client.call('/ext/dev', 'dev.reset')).toHaveProperty('result');
  lastPage = page;
  return node;
}

for (const { page, command, answer } of examples)
  test(`${page}: ${/"method":"([^"]*)"/.exec(command)?.[1] ?? command.trim()}`, async () => {
    const { port } = await nodeOf(page);
    const child = Bun.spawn(['sh', '-c', command.replaceAll(':9650', `:${port}`)], { stdout: 'pipe' });
    const got = (await new Response(child.stdout).text()).trimEnd();
    if (answer.includes('…')) expect(got).toMatch(patternOf(answer.trimEnd()));
    else expect(got).toBe(answer.trimEnd());
  });

/** A pattern in which `…` matches any text, for values that differ between nodes. */
const patternOf = (answer: string): RegExp =>
  new RegExp(
    `^${answer
      .split('…')
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.+')}$`,
  );

test('docs/start/test-suites.md: a test suite starts a node on a free port', async () => {
  const page = await Bun.file(`${root}docs/start/test-suites.md`).text();
  const [, code = ''] = /```js\n(\/\/ node: start-serac\.mjs\n[\s\S]*?)```\n/.exec(page) ?? [];
  expect(code).toContain("spawn('serac'");
  const child = Bun.spawn(['node', '--input-type=module', '-e', code], {
    env: { ...process.env, PATH: `${root}bin:${process.env.PATH}` },
    stdout: 'pipe',
    stderr: 'inherit',
  });
  expect((await new Response(child.stdout).text()).trim()).toBe('200');
  expect(await child.exited).toBe(0);
});

test.each([
  ['README.md', 'node.test.mjs', '10001500000000n'],
  ['docs/start/test-suites.md', 'node.test.mjs', 'true 2\n10000000000000n\n200'],
])('%s: a node inside a program (%s)', async (page, name, output) => {
  const text = await Bun.file(root + page).text();
  const code = [...text.matchAll(/```js\n([^`]*(?:`[^`]+`[^`]*)*)```\n/g)]
    .map(([, code = '']) => code)
    .find((code) => code.startsWith(`// library: ${name}\n`));
  const source = code?.replace("from 'serac'", `from '${root}src/sdk/index.ts'`);
  const child = Bun.spawn([process.execPath, '-e', source ?? ''], { stdout: 'pipe', stderr: 'inherit' });
  expect((await new Response(child.stdout).text()).trim()).toBe(output);
  expect(await child.exited).toBe(0);
});

test('README: names the version of avalanchejs that the tests use, and the Node that package.json asks for', async () => {
  const readme = await Bun.file(`${root}README.md`).text();
  const { devDependencies } = (await Bun.file(`${root}test/clients/package.json`).json()) as { devDependencies: Record<string, string> };
  expect([...readme.matchAll(/npm install @avalabs\/avalanchejs(\S*)/g)].map(([, version]) => version)).toEqual([
    `@${devDependencies['@avalabs/avalanchejs']}`,
  ]);
  const { engines } = (await Bun.file(`${root}package.json`).json()) as { engines: { node: string } };
  expect(readme).toContain(`Node (${engines.node.replace('>=', '')} or newer)`);
});

test('docs/reference/methods.md: every method has an example', () => {
  const shown = examples
    .filter(({ page }) => page === 'docs/reference/methods.md')
    .map(({ command }) => /"method":"([^"]*)"/.exec(command)?.[1]);
  const methods = Object.values(services).flatMap(({ prefix, methods }) => Object.keys(methods).map((name) => prefix + name));
  expect(shown).toEqual(expect.arrayContaining(methods));
});

test('docs/reference/data-and-metrics.md: keys are created, listed and revoked', async () => {
  const commands =
    /```sh\n(serac keys [^`]*)```/
      .exec(await Bun.file(`${root}docs/reference/data-and-metrics.md`).text())?.[1]
      ?.trim()
      .split('\n') ?? [];
  expect(commands.map((command) => command.split(/ +/)[2])).toEqual(['create', 'list', 'revoke']);
  const folder = mkdtempSync(join(tmpdir(), 'serac-keys-'));
  let id = '';
  for (const command of commands) {
    const words = command.replace('DIR', folder).replace(/ID$/, id).split(/ +/).slice(1);
    const { code, out, err } = await runProgram(...words);
    expect([command, code, err]).toEqual([command, 0, '']);
    id ||= /id +(\S+)/.exec(out)?.[1] ?? '';
    expect(out).toContain(id);
  }
  expect((await runProgram('keys', 'list', '--data-dir', folder)).out).toContain('revoked');
  rmSync(folder, { recursive: true });
});

test('docs/reference/data-and-metrics.md: the example of a plans file is valid', async () => {
  const text = await Bun.file(`${root}docs/reference/data-and-metrics.md`).text();
  const plans = /weights:\n\n```json\n([^`]*)```/.exec(text)?.[1] ?? '';
  expect(readPlans(plans, listRouteIds()).data.weights.get('getUtxosByAddresses')).toBe(5);
});

test('examples were found on every page that has some', () => {
  expect(new Set(examples.map(({ page }) => page))).toEqual(
    new Set([
      'README.md',
      'docs/reference/methods.md',
      'docs/reference/errors.md',
      'docs/reference/events.md',
      'docs/reference/data-and-metrics.md',
      'docs/guides/explorer.md',
      'docs/reference/explorer-api.md',
      'docs/guides/webhooks.md',
      'docs/start/first-hour.md',
      'docs/start/from-anvil.md',
      'docs/start/from-avacloud.md',
      'docs/start/from-avalanchego.md',
    ]),
  );
});
