import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { listModules } from './house-modules.ts';
import type { Mutant } from './mutants.ts';
import { storyFiles } from './test-stories.ts';

/** The tests that run with a mutant, stage by stage: of its folder, of its wing, the other module tests that import its file, and of the program. */
export const stages = ['folder', 'wing', 'modules', 'program'] as const;
export type Stage = (typeof stages)[number];

/** The last stage whose tests have run with a mutant, and whether they noticed it. */
export type Result = { readonly mutant: Omit<Mutant, 'source'>; readonly stage: Stage; readonly isNoticed: boolean };

/** The files of src/ that each test file imports, at any distance, the nearest first. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/** `tests`: paths in the tree, in `src` or `test`. */
export const importsOf = (tree: string, tests: readonly string[]): Imports =>
  new Map(tests.map((test) => [test, [...listModules(tree, test).files]]));

const wingOf = (file: string): string => file.split('/')[1] as string;
const isModuleTest = (test: string): boolean => test.startsWith('src/');

/** How many files of test/ run with a mutant because they import its file. Some hundred import a file of `base`. */
const maxProgramImporters = 5;

/** The test files of a stage that the stages before it did not run, those first that import the mutant's file most directly. */
export function filesOfStage(stage: Stage, file: string, imports: Imports): readonly string[] {
  const isBeside = (test: string): boolean => dirname(test) === dirname(file);
  if (stage === 'folder') return [...imports.keys()].filter(isBeside);
  const importers = [...imports]
    .map(([test, files]) => ({ test, distance: files.indexOf(file) }))
    .filter(({ test, distance }) => distance >= 0 && !isBeside(test))
    .sort((a, b) => a.distance - b.distance)
    .map(({ test }) => test);
  if (stage !== 'program') return importers.filter((test) => isModuleTest(test) && (wingOf(test) === wingOf(file)) === (stage === 'wing'));
  const ofProgram = [...imports.keys()].filter((test) => !isModuleTest(test));
  return [
    ...new Set([
      ...importers.filter((test) => !isModuleTest(test)).slice(0, maxProgramImporters),
      ...ofProgram.filter((test) => sharesWord(test, file)),
      ...storyFiles.map((name) => name.replace('./', '')),
    ]),
  ];
}

/** Whether a test of the program is named for the same noun as a file: `detach.test.ts` is for `detached-node.ts` too. */
function sharesWord(test: string, file: string): boolean {
  const wordsOf = (path: string): string[] => (basename(path).split('.')[0] as string).split('-').filter((word) => word.length > 3);
  return wordsOf(test).some((a) => wordsOf(file).some((b) => a.startsWith(b) || b.startsWith(a)));
}

/** The longest run of test files, by their number: a mutant may loop forever, and must not take the time of all others. */
const longestRun = (files: readonly string[]): number => Math.min(1_200_000, 90_000 + 5_000 * files.length);

/** Ends all processes of a group; none may be left. */
function endGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // All have ended.
  }
}

/** The files in which a test failed, in the order of their first failure. Bun prints the name of a file before the results of its tests. */
export function listFailed(output: string): readonly string[] {
  const failed = new Set<string>();
  let file: string | undefined;
  for (const line of output.split('\n')) {
    const [, name] = /^(\S+\.test\.tsx?):$/.exec(line) ?? [];
    if (name !== undefined) file = name;
    else if (file !== undefined && /^\(fail\)|^# Unhandled error/.test(line)) failed.add(file);
  }
  return [...failed];
}

/** Creates what tries mutants in a copy of the tree. After `deadline` nothing more is tried. */
export function createTrial(copy: string, imports: Imports, deadline: number) {
  /** Whether a file passes without a mutant. One that fails says nothing. */
  const passes = new Map<string, boolean>();

  /** Runs test files. With `bail` only until the first failure. `hasEnded` is false if it took too long. */
  async function run(files: readonly string[], bail: boolean): Promise<{ failed: readonly string[]; hasEnded: boolean }> {
    const options = ['test', ...(bail ? ['--bail'] : []), '--timeout=120000'];
    const tests = Bun.spawn([process.execPath, ...options, ...files.map((file) => `./${file}`)], {
      cwd: copy,
      env: { ...process.env, http_proxy: '', HTTP_PROXY: '', all_proxy: '', ALL_PROXY: '' },
      stdio: ['ignore', 'ignore', 'pipe'],
      // A group of its own: a mutant may send signals to the group of its process, and what it has started must end with it.
      detached: true,
    });
    const end = (): void => endGroup(tests.pid);
    let hasEnded = true;
    const timer = setTimeout(
      () => {
        hasEnded = false;
        end();
      },
      Math.max(1, Math.min(longestRun(files), deadline - Date.now())),
    );
    process.on('exit', end);
    const text = new Response(tests.stderr).text();
    const code = await tests.exited;
    clearTimeout(timer);
    process.off('exit', end);
    end();
    const failed = listFailed(await text);
    // A file that ends the process, or never ends, has printed no failure.
    return { failed: code === 0 || failed.length > 0 ? failed : files.slice(0, 1), hasEnded };
  }

  async function withMutants<T>(mutants: readonly Mutant[], task: () => Promise<T>): Promise<T> {
    const originals = mutants.map(({ file }) => readFileSync(join(copy, file), 'utf8'));
    try {
      for (const { file, source } of mutants) writeFileSync(join(copy, file), source);
      return await task();
    } finally {
      for (const [i, { file }] of mutants.entries()) writeFileSync(join(copy, file), originals[i] as string);
    }
  }

  const fails = async (files: readonly string[]): Promise<boolean> => (await run(files, true)).failed.length > 0;

  async function passesWithout(file: string): Promise<boolean> {
    if (!passes.has(file)) passes.set(file, !(await fails([file])));
    return passes.get(file) as boolean;
  }

  /** Whether a file fails with a mutant, twice, and passes without it. */
  const failsBy = async (mutant: Mutant, file: string): Promise<boolean> =>
    (await withMutants([mutant], async () => (await fails([file])) && (await fails([file])))) && (await passesWithout(file));

  /** Tries one mutant with test files up to the first that notices it. */
  async function tryAlone(mutant: Mutant, files: readonly string[]): Promise<boolean> {
    for (let open = files; open.length > 0 && Date.now() < deadline; ) {
      const { failed } = await withMutants([mutant], () => run(open, true));
      const [first] = failed;
      if (first === undefined) return false;
      if (await failsBy(mutant, first)) return true;
      // It fails by chance, or without the mutant too: the others decide.
      open = open.filter((file) => file !== first);
    }
    return false;
  }

  /**
   * Tries mutants of different files together, because most have survived the stage before: as long as a file fails, each mutant that can be the cause
   * is tried alone with this file. The rest has then passed all files together. Returns the noticed ones.
   */
  async function tryTogether(mutants: readonly Mutant[], filesOf: (mutant: Mutant) => readonly string[]): Promise<ReadonlySet<Mutant>> {
    const noticed = new Set<Mutant>();
    const useless = new Set<string>();
    for (;;) {
      const open = mutants.filter((mutant) => !noticed.has(mutant));
      const files = [...new Set(open.flatMap(filesOf))].filter((file) => !useless.has(file));
      if (files.length === 0 || Date.now() > deadline) return noticed;
      const { failed, hasEnded } = await withMutants(open, () => run(files, false));
      if (failed.length === 0) return noticed;
      if (!hasEnded || open.length === 1) {
        for (const mutant of open) if (await tryAlone(mutant, filesOf(mutant))) noticed.add(mutant);
        return noticed;
      }
      for (const file of failed) {
        const before = noticed.size;
        for (const mutant of open)
          if (!noticed.has(mutant) && filesOf(mutant).includes(file) && (await failsBy(mutant, file))) noticed.add(mutant);
        // It fails by chance, or only with several mutants: the other files decide.
        if (noticed.size === before) useless.add(file);
      }
    }
  }

  return {
    /** Tries mutants with the tests of a stage; calls `report` with each. */
    tryStage: async (stage: Stage, mutants: readonly Mutant[], report: (mutant: Mutant, isNoticed: boolean) => void): Promise<void> => {
      const filesOf = (mutant: Mutant): readonly string[] => filesOfStage(stage, mutant.file, imports);
      // Half of the mutants is noticed in the first stage; together they would only hide each other.
      const groups = stage === 'folder' ? mutants.map((mutant) => [mutant]) : oneOfEachFile(mutants);
      for (const group of groups) {
        const [first] = group;
        const noticed =
          group.length === 1 && first !== undefined
            ? new Set((await tryAlone(first, filesOf(first))) ? [first] : [])
            : await tryTogether(group, filesOf);
        // The time is over: not all of these tests have run.
        if (Date.now() > deadline) return;
        for (const mutant of group) report(mutant, noticed.has(mutant));
      }
    },
  };
}

/** Groups of mutants in which each file occurs once. */
export function oneOfEachFile<T extends { readonly file: string }>(mutants: readonly T[]): T[][] {
  const ofFiles = [...Map.groupBy(mutants, ({ file }) => file).values()];
  const longest = Math.max(0, ...ofFiles.map((all) => all.length));
  return Array.from({ length: longest }, (_, i) => ofFiles.flatMap((all) => all.slice(i, i + 1)));
}
