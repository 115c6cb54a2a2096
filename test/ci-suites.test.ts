import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** What .ci/run reports of passed, flaky and failed tests. */

const folder = mkdtempSync(join(tmpdir(), 'serac-suites-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a suite of one test file as .ci/run does. */
async function runSuite(source: string): Promise<{ readonly code: number; readonly lines: string[] }> {
  writeFileSync(
    join(folder, 'some.test.ts'),
    `import { expect, test } from 'bun:test';\nimport { existsSync, writeFileSync } from 'node:fs';\n${source}`,
  );
  rmSync(join(folder, 'seen'), { force: true });
  const script = '. .ci/suites; suite "some tests" "$1" "" "$2" test ./some.test.ts; repeat_failed_files; report';
  const child = Bun.spawn(['bash', '-c', script, 'bash', folder, process.execPath], { cwd: resolve('.'), stdout: 'pipe', stderr: 'pipe' });
  const [text, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  return { code, lines: text.trimEnd().split('\n') };
}

const passes = "test('passes', () => {});\n";
const flaky = "test('is flaky', () => { const seen = existsSync('seen'); writeFileSync('seen', ''); expect(seen).toBe(true); });\n";
const fails = "test('fails', () => { expect(1).toBe(2); });\n";

test('a test that fails and then passes is counted and named as flaky, and does not fail the run', async () => {
  const { code, lines } = await runSuite(passes + flaky);
  expect([code, ...lines.slice(-5)]).toEqual([
    0,
    '1 flaky (failed, then passed when the file ran again):',
    '  some.test.ts: is flaky',
    'What each suite proved, in its first run:',
    '  some tests: 1 passed, 1 failed, 0 skipped; exit code 1',
    '1 passed, 0 failed',
  ]);
});

test('a test that fails twice has failed, beside a flaky one', async () => {
  const { code, lines } = await runSuite(passes + flaky + fails);
  expect([code, lines.at(-4), lines.at(-1)]).toEqual([1, '  some.test.ts: is flaky', '1 passed, 1 failed']);
});

test('a line for each suite says what it proved, and what its skipped tests lack', async () => {
  const skips = ['beside PostgreSQL', 'SERAC_TEST_POSTGRES > reads', 'Chromium: a page', 'does not go back', 'Citus: skipped'];
  const { code, lines } = await runSuite(passes + skips.map((name) => `test.skip('${name}', () => {});\n`).join(''));
  expect([code, ...lines.slice(-2)]).toEqual([
    0,
    '  some tests: 1 passed, 0 failed, 5 skipped (PostgreSQL 2, Chromium 1, some.test.ts 1, Citus 1); exit code 0',
    '1 passed, 0 failed',
  ]);
});

test('a suite that is not run is named with its reason', () => {
  const { stdout } = Bun.spawnSync(['bash', '-c', '. .ci/suites; skip_suite "the wallet works" "Go is not installed"; report'], {
    cwd: resolve('.'),
  });
  expect(stdout.toString().trimEnd().split('\n').slice(-2)).toEqual([
    '  the wallet works: skipped (Go is not installed)',
    '0 passed, 0 failed',
  ]);
});

test('a test that fails only in the second run has failed', async () => {
  const { code, lines } = await runSuite(
    `${flaky}test('is last', () => { expect(existsSync('twice')).toBe(false); if (existsSync('seen')) writeFileSync('twice', ''); });\n`,
  );
  expect([code, lines.at(-1)]).toEqual([1, '0 passed, 1 failed']);
});

test('a file that cannot be loaded has failed', async () => {
  const { code, lines } = await runSuite("import './missing.ts';\n");
  expect([code, lines.at(-1)]).toEqual([1, expect.stringMatching(/^0 passed, [1-9] failed$/)]);
});

test('suites beside each other run at the same time, and all are counted and repeated', async () => {
  const meets = (own: string, other: string) => `import { expect, test } from 'bun:test';
import { existsSync, writeFileSync } from 'node:fs';
test('meets ${other}', async () => { writeFileSync('${own}', ''); while (!existsSync('${other}')) await Bun.sleep(10); });
test('fails ${own}', () => expect(process.env.SUITE_VARIABLE).toBe('${own === 'a' ? 'two' : 'one'}'));`;
  writeFileSync(join(folder, 'a.test.ts'), meets('a', 'b'));
  writeFileSync(join(folder, 'b.test.ts'), meets('b', 'a'));
  const script = `. .ci/suites
    suite_beside 'the first suite' "$1" SUITE_VARIABLE=one "$2" test --timeout 60000 ./a.test.ts
    suite_beside 'the second suite' "$1" 'SUITE_VARIABLE=one OTHER=1' "$2" test --timeout 60000 ./b.test.ts
    finish_suites; repeat_failed_files; report`;
  const child = Bun.spawn(['bash', '-c', script, 'bash', folder, process.execPath], { cwd: resolve('.'), stdout: 'pipe', stderr: 'pipe' });
  const [text, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  expect([code, ...text.trimEnd().split('\n').slice(-3)]).toEqual([
    1,
    '  the first suite: 1 passed, 1 failed, 0 skipped; exit code 1',
    '  the second suite: 2 passed, 0 failed, 0 skipped; exit code 0',
    '3 passed, 1 failed',
  ]);
});

test('.ci/run runs the command of the README without servers, then all tests, and ends with the report', () => {
  const [, command = ''] = /```sh\n(.*?) +# runs the tests\n```/.exec(readFileSync('README.md', 'utf8')) ?? [];
  const run = readFileSync('.ci/run', 'utf8');
  const first = run.indexOf(`'-u SERAC_TEST_POSTGRES -u SERAC_TEST_REDIS' bash -c '${command}'`);
  expect(first).toBeGreaterThan(0);
  expect(run.indexOf('tools/run-tests.ts --all')).toBeGreaterThan(first);
  expect(run.trimEnd()).toEndWith('repeat_failed_files\nreport');
});
