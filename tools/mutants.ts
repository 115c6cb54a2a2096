import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readCommit } from '../bench/results.ts';
import { createRandom } from '../test/random.ts';
import { applyMutation, listMutations, type Mutation } from './mutate-source.ts';
import { createTrial, importsOf, type Result, type Stage, stages } from './try-mutants.ts';

/**
 * Puts small mistakes into src/, one at a time, and counts how many the tests notice: those of the file's folder, of its wing, the other module tests
 * that import the file, then those of the program (tools/try-mutants.ts). It works in a copy of the tree. Pages in JSX are left out: their texts look
 * like code. The result is in test/proofs/mutants.json, unless --in names a part of src/ for a closer look.
 * Usage: npm run mutants -- [--seed=N] [--count=N] [--minutes=N] [--until=folder|wing|modules|program] [--in=src/WING/PART]
 */

const root = resolve(import.meta.dir, '..');

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

/** Files of src/ and test/ whose path matches. */
const listFiles = (tree: string, pattern: RegExp): string[] =>
  ['src', 'test']
    .flatMap((folder) => readdirSync(join(tree, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`))
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
  const percent = (count: number): number => Math.round((1000 * count) / Math.max(1, results.length)) / 10;
  const byStage = stages.map((stage) => [`noticed by ${stage}`, noticed.filter((result) => result.stage === stage).length] as const);
  return {
    tried: results.length,
    ...(Object.fromEntries(byStage) as Record<`noticed by ${Stage}`, number>),
    survived: results.length - noticed.length,
    'noticed in percent': percent(noticed.length),
    'by module tests in percent': percent(noticed.filter(({ stage }) => stage !== 'program').length),
  };
}

const describeSurvivor = ({ mutant: { file, line, kind, before, after }, stage }: Result) => ({
  at: `${file}:${line}`,
  change: `${kind}: ${before} → ${after}`,
  tests: stage === stages.at(-1) ? 'all' : `up to ${stage}`,
});

/** Runs the tests stage by stage, each with the mutants that the stages before did not notice, as far as the time allows. */
async function tryMutants(copy: string, mutants: readonly Mutant[], until: Stage, deadline: number): Promise<Result[]> {
  const imports = importsOf(copy, listFiles(copy, /^(?:src\/.+|test\/[^/]+)\.test\.tsx?$/));
  const trial = createTrial(copy, imports, deadline);
  const results = new Map<Mutant, Result>();
  for (const stage of stages.slice(0, stages.indexOf(until) + 1)) {
    const open = mutants.filter((one) => results.get(one)?.isNoticed !== true && (stage === 'folder' || results.has(one)));
    await trial.tryStage(stage, open, (mutant, isNoticed) => {
      const { source: _, ...shown } = mutant;
      results.set(mutant, { mutant: shown, stage, isNoticed });
      const { file, line, kind, before, after } = mutant;
      console.log(`${stage} ${isNoticed ? 'noticed' : 'MISSED '} ${file}:${line} ${kind}: ${before} → ${after}`);
    });
  }
  return [...results.values()];
}

async function main(args: readonly string[]): Promise<void> {
  const option = (name: string): string | undefined => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
  const seed = Number(option('seed') ?? Date.now() % 1_000_000);
  const count = Number(option('count') ?? 40);
  const deadline = Date.now() + Number(option('minutes') ?? 24 * 60) * 60_000;
  const until = stages.find((stage) => stage === option('until')) ?? 'program';
  const part = option('in');
  const copy = copyTree();
  // Also after Ctrl-C.
  process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
  const files = listFiles(copy, /^src\/.+\/.+(?<!\.(?:test|fixture|d))\.ts$/).filter((file) => file.startsWith(part ?? 'src/'));
  const known = JSON.parse(readFileSync(join(copy, 'test/mutants-equivalent.json'), 'utf8')) as Equivalent[];
  const sources = new Map(files.map((file) => [file, readFileSync(join(copy, file), 'utf8')]));
  // About a third does not compile.
  const mutants = (await keepTyped(copy, chooseMutants(sources, seed, 2 * count, known))).slice(0, count);
  console.log(`${mutants.length} mutants of ${files.length} files, seed ${seed}`);
  const results = await tryMutants(copy, mutants, until, deadline);
  const summary = summarize(results, seed, new Date().toISOString().slice(0, 10), readCommit(root));
  if (part === undefined) writeFileSync(join(root, 'test/proofs/mutants.json'), `${JSON.stringify(summary, null, 2)}\n`);
  for (const [name, of] of Object.entries(summary.wings)) console.log(`${name}: ${of['noticed in percent']} % of ${of.tried}`);
}

if (import.meta.main) await main(process.argv.slice(2));
