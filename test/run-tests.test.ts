import { afterAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listPassedFiles, listProvedFiles } from '../tools/proved-files.ts';
import { withLongFiles } from '../tools/run-tests.ts';

/** What `npm test` runs after the checks. */

const folder = mkdtempSync(join(tmpdir(), 'serac-run-tests-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Files that run at the same time: three per processor. Each waits until all have started. */
const meeting = Math.min(8, 3 * availableParallelism());

const meets = `
    import { mkdirSync, readdirSync } from 'node:fs';
    test('meets the others', async () => {
      mkdirSync(import.meta.path + '.started');
      const started = () => readdirSync(import.meta.dir).filter((name) => name.endsWith('.started')).length;
      while (started() < ${meeting}) await Bun.sleep(10);
    });`;

const files: Record<string, string> = {
  ...Object.fromEntries(Array.from({ length: meeting }, (_, i) => [`meets-${i}.test.ts`, meets])),
  'starts.test.ts': `
    test('starts the program that was built', () => {
      const program = process.env.SERAC_TEST_PROGRAM;
      const { stdout } = Bun.spawnSync([process.execPath, program, '--version']);
      console.log('program', program, stdout.toString());
    });
    test.skip('is skipped', () => {});`,
  'fails.test.ts': "test('fails', () => expect(1).toBe(2));",
};

test('files run in parallel, three per processor, with one built program; the sum is printed, the exit code is that of the tests, and nothing is left', async () => {
  const paths = Object.entries(files).map(([name, source]) => {
    writeFileSync(join(folder, name), `import { expect, test } from 'bun:test';\n${source}`);
    return join(folder, name);
  });
  const root = fileURLToPath(new URL('..', import.meta.url));
  const child = Bun.spawn([process.execPath, 'tools/run-tests.ts', ...paths], { cwd: root, stdout: 'pipe', stderr: 'pipe' });
  const [out, err, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  const text = out + err;
  expect(code).toBe(1);
  expect(text).toMatch(new RegExp(`^ ${1 + meeting} pass\\n 1 skip\\n 1 fail$`, 'm'));
  const [, program = '', version] = /program (\S+) (\S+)/.exec(text) ?? [];
  expect(version).toStartWith('serac/');
  expect([program.startsWith(join(root, 'node_modules')), existsSync(program)]).toEqual([true, false]);
});

test('files that .ci/run makes long start first, and those whose time is not known early', () => {
  const timings = { version: 1, files: { 'test/slow.test.ts': 9000, 'test/crash.test.ts': 5 } };
  expect(withLongFiles(timings, {}, [])).toEqual(timings);
  const long = { ...timings, files: { ...timings.files, 'test/crash.test.ts': 9001 } };
  expect(withLongFiles(timings, { SERAC_KILLS: '200' }, ['test/slow.test.ts', 'test/crash.test.ts'])).toEqual(long);
  expect(withLongFiles(timings, {}, ['test/slow.test.ts', 'test/new.test.ts']).files).toEqual({
    ...timings.files,
    'test/new.test.ts': 30_000,
  });
  // Every number that the run of all tests gets makes some file long, and that file reads it.
  const [, numbers = ''] =
    /^ {2}\. 'SERAC_LONG=1 (.*)' \\\n {2}nice -n 5 node_modules\/\.bin\/bun tools\/run-tests\.ts --all/m.exec(
      readFileSync('.ci/run', 'utf8'),
    ) ?? [];
  const variables = numbers.split(' ').map((one) => one.split('=')[0] as string);
  expect(variables.length).toBeGreaterThan(5);
  for (const variable of variables) {
    const [file = ''] = Object.keys(withLongFiles({ version: 1, files: {} }, { [variable]: '1' }, []).files);
    expect([variable, readFileSync(file, 'utf8').includes(`process.env.${variable}`)]).toEqual([variable, true]);
  }
});

test('a file whose tests have all passed, and that does the same with servers and variables, is proved', () => {
  const sources: Record<string, string> = {
    'same.test.ts': "import './helper.ts';",
    'helper.ts': 'process.env.SERAC_TEST_PROGRAM;',
    'variable.test.ts': "import './rounds.ts';",
    'rounds.ts': "import { rounds } from './numbers.ts';\nrounds;",
    'numbers.ts': 'export const rounds = process.env.SERAC_LONG;',
    'installed.test.ts': "Bun.which('nginx');",
    // Two that import each other, of which one also imports what depends on a variable.
    'circle.test.ts': "import './other.test.ts';\nimport './numbers.ts';",
    'other.test.ts': "import './circle.test.ts';",
  };
  for (const [name, source] of Object.entries(sources)) writeFileSync(join(folder, name), source);
  const passed = ['same', 'variable', 'installed', 'circle', 'other', 'removed'];
  const log = [
    ...passed.map((name) => `${name}.test.ts:\n(pass) one [1ms]`),
    'skipped.test.ts:\n(pass) one\n(skip) two',
    'failed.test.ts:\n(fail) one\n(pass) two',
    '1 tests skipped:\n(skip) two',
  ].join('\n\n');
  expect([...listPassedFiles(log)]).toEqual(passed.map((name) => `${name}.test.ts`));
  expect([...listProvedFiles(folder, log)]).toEqual(['same.test.ts']);
});
