import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import type { Mode } from './options.ts';
import { type Question, questions } from './questions.ts';
import { median, type ReportRow } from './report.ts';

/** The last recorded answer to a question. docs/operate/performance.md and the README are rendered from it (tools/figures-page.ts). */
export type Result = {
  readonly serac: number;
  /** What AvalancheGo reached in the same run. */
  readonly avalancheGo?: number;
  readonly date: string;
  /** Processors and memory. */
  readonly machine: string;
  /** What else the machine did. */
  readonly load: string;
  readonly commit: string;
};

/** The commit of a figure that was measured before there was this file. */
export const unknownCommit = 'recorded before results were files';

export const resultsFile = resolve(import.meta.dir, 'results.json');

/** The recorded results by question. */
export const readResults = (file: string = resultsFile): Record<string, Result> =>
  JSON.parse(readFileSync(file, 'utf8')) as Record<string, Result>;

type Circumstances = Pick<Result, 'date' | 'machine' | 'load' | 'commit'>;

/**
 * Replaces the results of the questions that a run has answered; returns these questions. A question beside AvalancheGo is answered only by a
 * run with AvalancheGo.
 */
export function recordResults(
  mode: Mode,
  rows: readonly ReportRow[],
  isBesideAvalancheGo: boolean,
  circumstances: Circumstances,
  file: string = resultsFile,
): string[] {
  const results = readResults(file);
  const answered = questions.flatMap((question) => {
    const row = question.mode === mode ? rows.find(({ name }) => name.startsWith(question.row)) : undefined;
    const answer = row && answerOf(question, row, isBesideAvalancheGo);
    return answer === undefined ? [] : [[question.question, { ...answer, ...circumstances }] as const];
  });
  const written = Object.fromEntries(
    questions.flatMap(({ question }) => {
      const result = new Map<string, Result>(answered).get(question) ?? results[question];
      return result === undefined ? [] : [[question, result]];
    }),
  );
  writeFileSync(file, `${JSON.stringify(written, null, 2)}\n`);
  return answered.map(([question]) => question);
}

function answerOf(
  question: Question,
  { ours, theirs }: ReportRow,
  isBesideAvalancheGo: boolean,
): Pick<Result, 'serac' | 'avalancheGo'> | undefined {
  const [serac, avalancheGo] = [round(median(ours)), round(median(theirs))];
  if (Number.isNaN(serac)) return undefined;
  if (!question.isBesideAvalancheGo) return { serac };
  return isBesideAvalancheGo && !Number.isNaN(avalancheGo) ? { serac, avalancheGo } : undefined;
}

/** Date, machine, load and commit of a run that has just ended. `busy` is the share of the processors that other work used at its start. */
export const describeCircumstances = (busy: number | undefined): Circumstances => ({
  date: new Date().toISOString().slice(0, 10),
  machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB`,
  load: busy === undefined ? 'load not known' : `${Math.round(busy * 100)} % busy with other work`,
  commit: readCommit(join(import.meta.dir, '..')),
});

/** The commit of the working tree, with a note if files were changed since. */
export function readCommit(root: string): string {
  const git = (...args: string[]) => {
    const { success, stdout } = Bun.spawnSync(['git', ...args], { cwd: root, stderr: 'ignore' });
    return success ? stdout.toString().trim() : undefined;
  };
  const commit = git('rev-parse', '--short=10', 'HEAD');
  if (commit === undefined) return 'not a git repository';
  return git('status', '--porcelain', '--untracked-files=no') === '' ? commit : `${commit} with changes`;
}

const round = (value: number): number => Number(value.toPrecision(4));
