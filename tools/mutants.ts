import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { readCommit } from '../bench/results.ts';
import { createRandom } from '../test/random.ts';
import { listModules } from './house-modules.ts';
import { applyMutation, listMutations, type Mutation } from './mutate-source.ts';
import { storyFiles } from './test-stories.ts';

/**
 * Puts small mistakes into src/, one at a time, and counts how many the tests notice: first the tests of the file's folder, then the other module tests
 * that import the file, the nearest first, then the stories of `npm test`. It works in a copy of the tree. Pages in JSX are left out: their texts look
 * like code. The result is in test/proofs/mutants.json.
 * Usage: npm run mutants -- [--seed=N] [--count=N] [--wing=NAME] [--minutes=N] [--until=folder|importers|stories]
 */

const root = resolve(import.meta.dir, '..');
const stages = ['folder', 'importers', 'stories'] as const;
type Stage = (typeof stages)[number];

/** A mutation of a file. `line` is the first changed line; `before` and `after` are its text. */
export type Mutant = {
  readonly wing: string;
  readonly file: string;
  readonly kind: string;
  readonly line: number;
  readonly before: string;
  readonly after: string;
  readonly source: string;
};

/** A mutant that changes nothing that a caller or user can see, and why. */
export type Equivalent = { readonly file: string; readonly before: string; readonly after: string; readonly why: string };

/** Files of src/ whose path matches. */
const listFiles = (tree: string, pattern: RegExp): string[] =>
  readdirSync(join(tree, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file}`)
    .filter((file) => pattern.test(file))
    .sort();

export function toMutant(file: string, source: string, mutation: Mutation): Mutant {
  const line = source.slice(0, mutation.start).split('\n').length;
  const mutated = applyMutation(source, mutation);
  const lineOf = (text: string): string => (text.split('\n')[line - 1] as string).trim();
  return {
    wing: file.split('/')[1] as string,
    file,
    kind: mutation.kind,
    line,
    before: lineOf(source),
    after: lineOf(mutated),
    source: mutated,
  };
}

/**
 * Chooses mutants by a seed, as many of each wing as of the others. The kind is chosen first, because numbers and comparisons are the most;
 * then a file, then a place. `sources`: texts by file.
 */
export function chooseMutants(sources: ReadonlyMap<string, string>, seed: number, count: number, known: readonly Equivalent[]): Mutant[] {
  const random = createRandom(seed);
  const byWing = Map.groupBy(
    [...sources].flatMap(([file, source]) => listMutations(source).map((mutation) => ({ file, source, mutation }))),
    ({ file }) => file.split('/')[1] as string,
  );
  const chosen = new Map<string, Mutant>();
  const wings = [...byWing.keys()];
  // Some tries give a mutant that was chosen before, is known, or is no TypeScript.
  for (let tries = 0; chosen.size < count && tries < count * 20; tries++) {
    const places = byWing.get(wings[chosen.size % wings.length] as string) ?? [];
    const kind = random.pick([...new Set(places.map(({ mutation }) => mutation.kind))]);
    const ofKind = places.filter(({ mutation }) => mutation.kind === kind);
    const file = random.pick([...new Set(ofKind.map((place) => place.file))]);
    const { source, mutation } = random.pick(ofKind.filter((place) => place.file === file));
    const mutant = toMutant(file, source, mutation);
    const isKnown = known.some((one) => one.file === file && one.before === mutant.before && one.after === mutant.after);
    if (!isKnown && isTypeScript(mutant.source)) chosen.set(`${file} ${mutation.start} ${mutation.by}`, mutant);
  }
  return [...chosen.values()];
}

const transpiler = new Bun.Transpiler({ loader: 'ts' });
const isTypeScript = (text: string): boolean => {
  try {
    transpiler.transformSync(text);
    return true;
  } catch {
    return false;
  }
};

/** A copy of the repository's files, which takes the mutants. */
function copyTree(): string {
  const copy = mkdtempSync(join(tmpdir(), 'serac-mutants-'));
  const { stdout } = Bun.spawnSync(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of stdout.toString().split('\0'))
    if (file !== '' && existsSync(join(root, file))) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** The files that each module test imports, at any distance, the nearest first. */
const importsOf = (copy: string, tests: readonly string[]): ReadonlyMap<string, readonly string[]> =>
  new Map(tests.map((test) => [test, [...listModules(join(copy, 'src'), test.replace('src/', '')).files].map((file) => `src/${file}`)]));

/** The test files of a stage that the stages before it did not run. `imports`: of each module test. */
export function filesOfStage(stage: Stage, file: string, imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  if (stage === 'stories') return storyFiles.map((name) => name.replace('./', ''));
  const isBeside = (test: string): boolean => dirname(test) === dirname(file);
  if (stage === 'folder') return [...imports.keys()].filter(isBeside);
  return [...imports]
    .map(([test, files]) => ({ test, distance: files.indexOf(file) }))
    .filter(({ test, distance }) => distance >= 0 && !isBeside(test))
    .sort((a, b) => a.distance - b.distance)
    .map(({ test }) => test);
}

/** The longest run of test files, by their number: a mutant may loop forever, and must not take the time of all others. */
const longestRun = (files: readonly string[]): number => Math.min(900_000, 90_000 + 5_000 * files.length);

/** Ends all processes of a group; none may be left. */
function endGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // All have ended.
  }
}

/** Runs test files in the copy up to the first failure. Returns the file that failed; undefined if all pass. */
async function runTests(copy: string, files: readonly string[], deadline: number): Promise<string | undefined> {
  const timeout = Math.max(1, Math.min(longestRun(files), deadline - Date.now()));
  const tests = Bun.spawn([process.execPath, 'test', '--bail', '--timeout=120000', ...files.map((file) => `./${file}`)], {
    cwd: copy,
    env: { ...process.env, http_proxy: '', HTTP_PROXY: '', all_proxy: '', ALL_PROXY: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: a mutant may send signals to the group of its process, and what it has started must end with it.
    detached: true,
  });
  const end = (): void => endGroup(tests.pid);
  const timer = setTimeout(end, timeout);
  process.on('exit', end);
  const texts = Promise.all([tests.stdout, tests.stderr].map((stream) => new Response(stream).text()));
  const code = await tests.exited;
  clearTimeout(timer);
  process.off('exit', end);
  end();
  const [, output = ''] = await texts;
  return code === 0 ? undefined : ([...output.matchAll(/^(\S+\.test\.tsx?):$/gm)].at(-1)?.[1] ?? files[0]);
}

/** Whether the tests of a stage notice a mutant: one of their files fails twice, and passes without the mutant. */
async function isNoticed(copy: string, mutant: Mutant, files: readonly string[], deadline: number): Promise<boolean> {
  const path = join(copy, mutant.file);
  const original = readFileSync(path, 'utf8');
  try {
    for (let open = files; open.length > 0; ) {
      writeFileSync(path, mutant.source);
      const failed = await runTests(copy, open, deadline);
      if (failed === undefined) return false;
      const failsAgain = (await runTests(copy, [failed], deadline)) !== undefined;
      writeFileSync(path, original);
      if (failsAgain && (await runTests(copy, [failed], deadline)) === undefined) return true;
      // It fails by chance, or without the mutant too: the others decide.
      open = open.filter((file) => file !== failed);
    }
    return false;
  } finally {
    writeFileSync(path, original);
  }
}

/** The mutants whose types are right. Mutants of different files are checked together: a check takes ten seconds. */
async function keepTyped(copy: string, mutants: readonly Mutant[]): Promise<Mutant[]> {
  const wrong = new Set<Mutant>();
  const ofFiles = [...Map.groupBy(mutants, ({ file }) => file).values()];
  for (let round = 0; ofFiles.some((all) => all.length > round); round++) {
    const checked = ofFiles.flatMap((all) => all.slice(round, round + 1));
    const originals = checked.map(({ file }) => readFileSync(join(copy, file), 'utf8'));
    for (const { file, source } of checked) writeFileSync(join(copy, file), source);
    const { stdout } = Bun.spawn([join(copy, 'node_modules/.bin/tsc'), '--noEmit', '--pretty', 'false'], { cwd: copy });
    const output = await new Response(stdout).text();
    const failed = new Set([...output.matchAll(/^(\S+?)\(\d+,\d+\): error/gm)].map(([, file]) => file));
    for (const [i, mutant] of checked.entries()) {
      writeFileSync(join(copy, mutant.file), originals[i] as string);
      if (failed.has(mutant.file)) wrong.add(mutant);
    }
  }
  return mutants.filter((mutant) => !wrong.has(mutant));
}

/** The last stage whose tests have run with a mutant, and whether they noticed it. */
export type Result = { readonly mutant: Omit<Mutant, 'source'>; readonly stage: Stage; readonly isNoticed: boolean };

/** The summary that test/proofs/mutants.json keeps. */
export function summarize(results: readonly Result[], seed: number, date: string, commit: string) {
  const left = results.filter(({ isNoticed }) => !isNoticed);
  return {
    date,
    commit,
    seed,
    numbers: countResults(results),
    found: left.length === 0 ? 'nothing' : `not noticed: ${left.map(({ mutant: { file, line } }) => `${file}:${line}`).join(', ')}`,
    wings: Object.fromEntries(
      [...Map.groupBy(results, ({ mutant }) => mutant.wing)].map(([wing, all]) => [
        wing,
        { ...countResults(all), survived: left.filter(({ mutant }) => mutant.wing === wing).map(describeSurvivor) },
      ]),
    ),
  };
}

function countResults(results: readonly Result[]) {
  const noticed = results.filter(({ isNoticed }) => isNoticed);
  const byStories = noticed.filter(({ stage }) => stage === 'stories').length;
  return {
    tried: results.length,
    'noticed by module tests': noticed.length - byStories,
    'noticed by stories': byStories,
    survived: results.length - noticed.length,
    'noticed in percent': Math.round((1000 * noticed.length) / Math.max(1, results.length)) / 10,
  };
}

const describeSurvivor = ({ mutant: { file, line, kind, before, after }, stage }: Result) => ({
  at: `${file}:${line}`,
  change: `${kind}: ${before} → ${after}`,
  tests: stage === 'stories' ? 'all' : `up to ${stage}`,
});

/** Runs the tests stage by stage, each with the mutants that the stages before did not notice, as far as the time allows. */
async function tryMutants(copy: string, mutants: readonly Mutant[], until: Stage, deadline: number): Promise<Result[]> {
  const imports = importsOf(copy, listFiles(copy, /\.test\.tsx?$/));
  const results = new Map<Mutant, Result>();
  for (const stage of stages.slice(0, stages.indexOf(until) + 1))
    for (const mutant of mutants.filter((one) => results.get(one)?.isNoticed !== true)) {
      const noticed = await isNoticed(copy, mutant, filesOfStage(stage, mutant.file, imports), deadline);
      // The time is over: not all of these tests have run.
      if (Date.now() > deadline) return [...results.values()];
      const { source: _, ...shown } = mutant;
      results.set(mutant, { mutant: shown, stage, isNoticed: noticed });
      console.log(
        `${stage} ${noticed ? 'noticed' : 'MISSED '} ${mutant.file}:${mutant.line} ${mutant.kind}: ${mutant.before} → ${mutant.after}`,
      );
    }
  return [...results.values()];
}

async function main(args: readonly string[]): Promise<void> {
  const option = (name: string): string | undefined => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
  const seed = Number(option('seed') ?? Date.now() % 1_000_000);
  const count = Number(option('count') ?? 40);
  const deadline = Date.now() + Number(option('minutes') ?? 24 * 60) * 60_000;
  const until = stages.find((stage) => stage === option('until')) ?? 'stories';
  const wing = option('wing');
  const copy = copyTree();
  // Also after Ctrl-C.
  process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
  const files = listFiles(copy, /^src\/.+\/.+(?<!\.(?:test|fixture|d))\.ts$/).filter((file) =>
    file.startsWith(wing === undefined ? 'src/' : `src/${wing}/`),
  );
  const known = JSON.parse(readFileSync(join(copy, 'test/mutants-equivalent.json'), 'utf8')) as Equivalent[];
  const sources = new Map(files.map((file) => [file, readFileSync(join(copy, file), 'utf8')]));
  // About a third does not compile.
  const mutants = (await keepTyped(copy, chooseMutants(sources, seed, 2 * count, known))).slice(0, count);
  console.log(`${mutants.length} mutants of ${files.length} files, seed ${seed}`);
  const results = await tryMutants(copy, mutants, until, deadline);
  const summary = summarize(results, seed, new Date().toISOString().slice(0, 10), readCommit(root));
  mkdirSync(join(root, 'test/proofs'), { recursive: true });
  writeFileSync(join(root, 'test/proofs/mutants.json'), `${JSON.stringify(summary, null, 2)}\n`);
  for (const [name, of] of Object.entries(summary.wings)) console.log(`${name}: ${of['noticed in percent']} % of ${of.tried}`);
}

if (import.meta.main) await main(process.argv.slice(2));
