import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Figure } from '../test/figure.ts';
import { BenchError } from './fault.ts';
import { isSelected } from './measure.ts';
import type { Options } from './options.ts';
import { measureMachineLoad } from './process-usage.ts';
import { evaluateTarget, formatTable, type ReportRow } from './report.ts';
import type { BenchEnv } from './servers.ts';

const root = resolve(import.meta.dir, '..');

/** One line per recorded run. */
const history = join(root, 'bench/limits.jsonl');

/** A recorded run. `busy` is the share of the processors that other work used at the start. */
type LimitsRun = {
  readonly date: string;
  readonly processors: number;
  readonly busy: number | undefined;
  readonly figures: Readonly<Record<string, number>>;
};

/**
 * Runs the test files that record delays and memory, one after the other, and compares each figure with its limit and with the last recorded
 * run. `only` selects files; `rounds` is how often each file runs.
 */
export async function runLimits({ dir, signal, program }: BenchEnv, options: Options): Promise<void> {
  const busy = await measureMachineLoad(1000);
  const files = figureFiles().filter((file) => isSelected(file, options));
  const figures: Figure[] = [];
  for (let round = 0; round < options.rounds; round++)
    for (const file of files) {
      console.error(`  ${file}`);
      const written = join(dir, `figures-${round}-${file.replaceAll('/', '-')}`);
      figures.push(...(await runFile(file, { SERAC_FIGURES: written, SERAC_TEST_PROGRAM: program }, signal)));
    }
  const last = readHistory().at(-1);
  const rows = limitRows(figures, last);
  console.log(formatTable(rows, { ours: 'now', theirs: last?.date ?? 'not recorded', showTargets: true }));
  if (options.record) {
    const run: LimitsRun = {
      date: new Date().toISOString().slice(0, 10),
      processors: navigator.hardwareConcurrency,
      busy: busy === undefined ? undefined : Math.round(busy * 100) / 100,
      figures: Object.fromEntries(rows.map(({ name, ours }) => [name, Math.round(Math.min(...ours))])),
    };
    appendFileSync(history, `${JSON.stringify(run)}\n`);
  }
  const missed = rows.filter((row) => evaluateTarget(row) === 'missed').map(({ name }) => name);
  if (missed.length > 0) throw new BenchError(`over the limit in all rounds: ${missed.join('; ')}`);
}

/** The test files that record figures. */
export const figureFiles = (): string[] =>
  [...new Bun.Glob('{src,test}/**/*.test.ts').scanSync(root)].filter((file) => /\bfrom '.*\/figure\.ts'/.test(readText(file))).sort();

export const readHistory = (): LimitsRun[] =>
  (existsSync(history) ? readFileSync(history, 'utf8') : '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LimitsRun);

/** A row for each name, with its figures by round, and beside it the figure of the last recorded run. */
export function limitRows(figures: readonly Figure[], last: LimitsRun | undefined): ReportRow[] {
  const names = [...new Set(figures.map(({ name }) => name))];
  return names.map((name) => {
    const own = figures.filter((figure) => figure.name === name);
    const [{ unit, limit }] = own as [Figure];
    const before = last?.figures[name];
    return { name, unit, ours: own.map(({ value }) => value), theirs: before === undefined ? [] : [before], target: { atMost: limit } };
  });
}

type FileEnv = { readonly SERAC_FIGURES: string; readonly SERAC_TEST_PROGRAM: string };

async function runFile(file: string, env: FileEnv, signal: AbortSignal): Promise<Figure[]> {
  const tests = Bun.spawn([process.execPath, 'test', '--timeout=120000', `./${file}`], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  const [, output, code] = await Promise.all([new Response(tests.stdout).text(), new Response(tests.stderr).text(), tests.exited]);
  if (code !== 0) throw new BenchError(`${file} failed:\n${output.slice(-4000)}`);
  const lines = existsSync(env.SERAC_FIGURES) ? readFileSync(env.SERAC_FIGURES, 'utf8').trim().split('\n') : [];
  return lines.map((line) => JSON.parse(line) as Figure);
}

const readText = (file: string): string => readFileSync(join(root, file), 'utf8');
