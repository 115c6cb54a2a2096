import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readCommit } from '../bench/results.ts';
import { buildProgram, createProgramFolder } from './build.ts';
import { testTimeout } from './test-stories.ts';

/**
 * Repeats test files beside other load, one file at a time, and records the tests that failed: such a test depends on the speed of the machine.
 * Usage: npm run test:repeat -- [--runs 5] [--out FILE] [--load PROCESSES] FILES
 */

/** The last repetitions of a file. `failures`: how often each test failed. */
type Repetition = { date: string; commit: string; runs: number; failures: Record<string, number> };

const root = resolve(import.meta.dir, '..');
/** Processes that compute all the time, unless --load says how many: with two per processor a file gets a third of its usual time. */
const loadProcesses = 2 * availableParallelism();
/** What a load process runs. It ends by itself soon after this process has ended. */
const computes = `const parent = process.ppid;
  for (;;) {
    const until = performance.now() + 500;
    while (performance.now() < until);
    if (process.ppid !== parent) process.exit();
  }`;
const unfinished = 'the file did not run to its end';

async function repeatFiles(files: readonly string[], runs: number, load: number, out: string): Promise<boolean> {
  const folder = createProgramFolder();
  const busy = Array.from({ length: load }, () => Bun.spawn([process.execPath, '-e', computes]));
  try {
    const program = process.env.SERAC_TEST_PROGRAM ?? (await buildProgram(folder));
    let failed = false;
    for (const file of files) {
      const failures: Record<string, number> = {};
      for (let run = 0; run < runs; run++) for (const name of await failedTests(file, program)) failures[name] = (failures[name] ?? 0) + 1;
      failed ||= Object.keys(failures).length > 0;
      console.log(file, runs, 'runs', failures);
      record(out, file, { date: new Date().toISOString().slice(0, 10), commit: readCommit(root), runs, failures });
    }
    return !failed;
  } finally {
    for (const one of busy) one.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Names of the tests of a file that fail in one run. */
async function failedTests(file: string, program: string): Promise<string[]> {
  const child = Bun.spawn([process.execPath, 'test', `--timeout=${testTimeout}`, file], {
    cwd: root,
    env: { ...process.env, SERAC_TEST_PROGRAM: program },
    stdout: 'ignore',
    stderr: 'pipe',
  });
  const [text, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  // Bun lists them a second time at its end if there are many.
  const names = new Set([...text.matchAll(/^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/gm)].map(([, name]) => name as string));
  if (code === 0) return [];
  process.stderr.write(text);
  return names.size === 0 ? [unfinished] : [...names];
}

/** Replaces the entry of a file; those of other files stay. */
function record(out: string, file: string, repetition: Repetition): void {
  const before = existsSync(out) ? (JSON.parse(readFileSync(out, 'utf8')) as Record<string, Repetition>) : {};
  const entries = Object.entries({ ...before, [file.replace(/^\.\//, '')]: repetition }).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(out, `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`);
}

if (import.meta.main) {
  const options = {
    runs: { type: 'string', default: '5' },
    load: { type: 'string', default: `${loadProcesses}` },
    out: { type: 'string', default: 'test/repeats.json' },
  } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  process.exitCode = (await repeatFiles(positionals, Number(values.runs), Number(values.load), values.out)) ? 0 : 1;
}
