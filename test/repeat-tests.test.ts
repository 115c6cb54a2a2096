import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** What `npm run test:repeat` records. */

const folder = mkdtempSync(join(tmpdir(), 'serac-repeat-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const imports = "import { expect, test } from 'bun:test';\nimport { appendFileSync, readFileSync } from 'node:fs';\n";
const counts = `const path = import.meta.path + '.runs'; appendFileSync(path, 'x'); const run = readFileSync(path, 'utf8').length;\n`;

test('failures of each test are counted over the runs, entries of other files stay, and the exit code says whether one failed', async () => {
  const sources = {
    'flaky.test.ts': `${imports}${counts}test('is flaky', () => expect(run).not.toBe(2)); test('passes', () => {});`,
    'broken.test.ts': "import './missing.ts';",
    'steady.test.ts': `${imports}test('uses the built program', () => expect(process.env.SERAC_TEST_PROGRAM).toBe('some program'));`,
  };
  for (const [name, source] of Object.entries(sources)) writeFileSync(join(folder, name), source);
  const out = join(folder, 'repeat.json');
  const repeat = async (...names: string[]): Promise<number> => {
    const args = ['--runs=3', `--out=${out}`, ...names.map((name) => join(folder, name))];
    const env = { ...process.env, SERAC_TEST_PROGRAM: 'some program' };
    return Bun.spawn([process.execPath, 'tools/repeat-tests.ts', ...args], {
      cwd: resolve('.'),
      env,
      stdio: ['ignore', 'ignore', 'ignore'],
    }).exited;
  };
  expect([await repeat('flaky.test.ts', 'broken.test.ts'), await repeat('steady.test.ts')]).toEqual([1, 0]);
  const entry = (failures: Record<string, number>) => ({
    date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    commit: expect.stringMatching(/^[0-9a-f]{7,}( with changes)?$/),
    runs: 3,
    failures,
  });
  expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual({
    [join(folder, 'broken.test.ts')]: entry({ 'the file did not run to its end': 3 }),
    [join(folder, 'flaky.test.ts')]: entry({ 'is flaky': 1 }),
    [join(folder, 'steady.test.ts')]: entry({}),
  });
});
