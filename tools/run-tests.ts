import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { chromiumBinary, startChromium } from '../test/chromium.ts';
import { packRepository } from '../test/package.ts';
import { createPostgresTemplate } from '../test/postgres.ts';
import { buildProgram, createProgramFolder } from './build.ts';
import { listProvedFiles } from './proved-files.ts';
import { furtherTests, storyFiles, testTimeout } from './test-stories.ts';

/**
 * Runs test files in parallel, three per processor. Tests start the program hundreds of times, so it is built once before: a start from source takes
 * twice the CPU time, a command four times. Without arguments, as `npm test`: modules and stories (tools/test-stories.ts). With --all, as
 * `npm run test:all`: every file; with --proved-by LOG after it, not those that a run of `npm test` with this log has just proved.
 * Usage: bun tools/run-tests.ts [--all [--proved-by LOG] [options of bun test] | files and options of bun test]
 */

const root = resolve(import.meta.dir, '..');
/** Two thirds of the time a file waits: for timeouts, disks, and programs that start. */
const workers = 3 * availableParallelism();
const options = [`--parallel=${workers}`, '--no-isolate', `--timeout=${testTimeout}`];
/** Milliseconds that each file took: the slowest start first. */
const timingsFile = 'test/timings.json';
const allFolders = ['src', 'test', 'bench'];
const firstFiles = ['./src', ...storyFiles];

/** Files that a variable makes long, as in `.ci/run`. */
const longFiles: Readonly<Record<string, string>> = {
  SERAC_KILLS: 'test/crash.test.ts',
  SERAC_WATCH_ISSUES: 'test/index-watch.test.ts',
  SERAC_WALK_STEPS: 'test/random-walk.test.ts',
  SERAC_SIMULATION_SEEDS: 'test/simulation/simulation.test.ts',
  SERAC_DISK_SEEDS: 'test/disk/disk-simulation.test.ts',
  SERAC_FUZZ_SECONDS: 'test/fuzz/fuzz.test.ts',
  SERAC_CYCLES: 'test/package.test.ts',
  SERAC_EXPLORER_SECONDS: 'test/explorer-live.test.ts',
};
/** Milliseconds of a test of the whole program that is not among the timings: if it were slow and started last, a processor would wait for it. */
const unknownTime = 30_000;

type Timings = { readonly version: number; readonly files: Readonly<Record<string, number>> };

/**
 * Timings with which the files that variables make long start first: the others then fill the time in which those wait. `programFiles`: tests of the
 * whole program.
 */
export function withLongFiles(
  { version, files }: Timings,
  variables: Readonly<Record<string, string | undefined>>,
  programFiles: readonly string[],
): Timings {
  const first = Math.max(0, ...Object.values(files)) + 1;
  const long = Object.entries(longFiles).filter(([name]) => variables[name] !== undefined);
  const unknown = Object.fromEntries(programFiles.map((file) => [file, unknownTime]));
  return { version, files: { ...unknown, ...files, ...Object.fromEntries(long.map(([, file]) => [file, first])) } };
}

/** The file of timings to use; a new one unless the timings are to be written. */
function prepareTimings(folder: string, args: readonly string[]): string {
  if (args.includes('--update-timings')) return timingsFile;
  const path = join(folder, 'timings.json');
  const known = JSON.parse(readFileSync(join(root, timingsFile), 'utf8')) as Timings;
  writeFileSync(path, JSON.stringify(withLongFiles(known, process.env, listTestFiles('test'))));
  return path;
}

/** What --all runs, with the arguments after it. */
function listAll(args: readonly string[]): string[] {
  const [option, log, ...others] = args;
  if (option !== '--proved-by') return [...allFolders.map((folder) => `./${folder}`), ...args];
  return [...listUnproved(readFileSync(log as string, 'utf8')), ...others];
}

const listTestFiles = (folder: string): string[] =>
  [...new Bun.Glob(`${folder}/**/*.test.ts`).scanSync(root)].filter((file) => !file.includes('node_modules/'));

/** Every test file but those that the log of `npm test` proves. Prints how many it leaves out. */
function listUnproved(log: string): string[] {
  const own = allFolders.flatMap(listTestFiles).sort();
  const proved = listProvedFiles(root, log);
  console.log(`${proved.size} test files have just passed, and neither a server nor a variable changes them: they are not run again.`);
  return own.filter((file) => !proved.has(file)).map((file) => `./${file}`);
}

async function runTests(args: readonly string[]): Promise<number> {
  const folder = createProgramFolder();
  const runsAll = args[0] === '--all';
  const files = runsAll ? listAll(args.slice(1)) : args.length === 0 ? firstFiles : args;
  const postgres = runsAll ? createPostgresTemplate() : undefined;
  try {
    // Several files use the package, or a build of it: once here, not in each of them at the same time.
    const tarball = runsAll ? packRepository(folder) : undefined;
    const program = await buildProgram(folder);
    // If it does not start, the files that need it say so.
    const binary = runsAll ? chromiumBinary() : undefined;
    const browser = binary === undefined ? undefined : await startChromium(binary).catch(() => undefined);
    const timings = `--timings=${prepareTimings(folder, args)}`;
    const tests = Bun.spawn([process.execPath, 'test', ...options, timings, ...files], {
      cwd: root,
      env: {
        ...process.env,
        // Tests call programs on this machine; Bun would use a proxy for these too.
        ...{ http_proxy: '', HTTP_PROXY: '', all_proxy: '', ALL_PROXY: '' },
        SERAC_TEST_PROGRAM: program,
        ...(tarball !== undefined && { SERAC_TEST_TARBALL: tarball }),
        ...(postgres && { SERAC_TEST_POSTGRES_DATA: postgres.data }),
        ...(browser && { SERAC_TEST_CHROMIUM_PORT: browser.port }),
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    // After Ctrl-C the tests print what was running, and the folder is removed.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal));
    const code = await tests.exited;
    await browser?.close();
    if (args.length === 0) console.log(`\n${furtherTests}`);
    return code;
  } finally {
    postgres?.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) process.exitCode = await runTests(process.argv.slice(2));
