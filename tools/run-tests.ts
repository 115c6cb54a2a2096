import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { buildProgram, createProgramFolder } from './build.ts';

/**
 * Runs test files in parallel, three per processor; `npm test` calls it. Tests start the program hundreds of times, so it is built once before: a
 * start from source takes twice the CPU time, a command four times. Usage: bun tools/run-tests.ts [files and options of bun test]
 */

const root = resolve(import.meta.dir, '..');
/** Two thirds of the time a file waits: for timeouts, disks, and programs that start. */
const workers = 3 * availableParallelism();
const options = [`--parallel=${workers}`, '--no-isolate', '--timeout=180000', '--timings=test/timings.json'];
const allFiles = ['./src', './test', './bench'];

async function runTests(args: readonly string[]): Promise<number> {
  const folder = createProgramFolder();
  try {
    // Several files pack the package, which builds it if the sources have changed: once here, not in each of them at the same time.
    if (args.length === 0) await Bun.spawn(['node', 'bin/prepare.js'], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }).exited;
    const program = await buildProgram(folder);
    const tests = Bun.spawn([process.execPath, 'test', ...options, ...(args.length === 0 ? allFiles : args)], {
      cwd: root,
      env: { ...process.env, SERAC_TEST_PROGRAM: program },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    // After Ctrl-C the tests print what was running, and the folder is removed.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal));
    return await tests.exited;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await runTests(process.argv.slice(2));
