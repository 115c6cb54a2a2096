import { afterAll, expect, test } from 'bun:test';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderPerformanceTable, renderReadmeFigures } from '../tools/figures-page.ts';
import { parseOptions } from './options.ts';
import { questions } from './questions.ts';
import type { ReportRow } from './report.ts';
import { describeCircumstances, readResults, recordResults, resultsFile } from './results.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-results-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const row = (name: string, ours: number[], theirs: number[]): ReportRow => ({ name, unit: '/s', ours, theirs, target: { atLeast: 1 } });
const [accepted, , , , , , started] = questions.map(({ question }) => question) as string[];
const circumstances = { date: '2030-01-02', machine: '8 × a processor, 16 GB', load: '3 % busy with other work', commit: '0123456789' };

function recordCopy(rows: readonly ReportRow[], isBesideAvalancheGo: boolean) {
  const file = join(folder, 'results.json');
  copyFileSync(resultsFile, file);
  const answered = recordResults('table', rows, isBesideAvalancheGo, circumstances, file);
  return { answered, results: readResults(file) };
}

test('a run replaces the answers that it has measured, with date, machine, load and commit, and leaves the others', () => {
  const rows = [row('issueTx accepted', [5000, 6000.4, 7000], [2000, 1000, 3000]), row('issueTx accepted, --workers 0', [1], [1])];
  const { answered, results } = recordCopy(rows, true);
  expect(answered).toEqual([accepted as string]);
  expect(results[accepted as string]).toEqual({ serac: 6000, avalancheGo: 2000, ...circumstances });
  const before = readResults();
  expect({ ...results, [accepted as string]: undefined }).toEqual({ ...before, [accepted as string]: undefined });
  expect(Object.keys(results)).toEqual(Object.keys(before));
  const line = `| ${accepted} | 6,000/s | 2,000/s | 3.00x | 2030-01-02, 8 × a processor, 16 GB, 3 % busy with other work, \`0123456789\` | \`npm run bench\` |`;
  expect(renderPerformanceTable(results)).toContain(line);
  expect(renderReadmeFigures(results)).toContain(`| ${accepted} | 6,000/s | 2,000/s | 3.00x | 2030-01-02 |`);
});

test('a bare server does not take the place of AvalancheGo, and rows of another mode answer nothing', () => {
  const rows = [row('issueTx accepted', [5000], [90_000]), row('memory under mixed reads', [200], []), row('kill -9 to healthy', [1], [])];
  const { answered, results } = recordCopy(rows, false);
  expect(answered).toEqual([questions.find((one) => one.row === 'memory under mixed reads')?.question as string]);
  expect(results[accepted as string]).toEqual(readResults()[accepted as string]);
});

test('every question has a recorded answer, beside AvalancheGo where it says so, and the README has three', () => {
  const results = readResults();
  expect(Object.keys(results)).toEqual(questions.map(({ question }) => question));
  for (const { question, isBesideAvalancheGo } of questions) {
    const { serac, avalancheGo, date, machine, load, commit } = results[question] as (typeof results)[string];
    expect([question, serac > 0, (avalancheGo ?? 0) > 0]).toEqual([question, true, isBesideAvalancheGo]);
    expect([date, machine !== '', load !== '', commit !== '']).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d$/), true, true, true]);
  }
  expect(renderReadmeFigures().split('\n')).toHaveLength(2 + 3);
  expect(renderReadmeFigures()).toContain(started as string);
});

test('a run of the usual length writes its figures, a shorter one only with --record', () => {
  const isRecorded = (...args: string[]) => (parseOptions(args) as { recordResults: boolean }).recordResults;
  expect([isRecorded(), isRecorded('--p2p'), isRecorded('--quick', '--record')]).toEqual([true, true, true]);
  expect(
    [['--quick'], ['--only', 'getTx'], ['--rounds', '1'], ['--restart', '--txs', '5', '--record']].map((args) => isRecorded(...args)),
  ).toEqual(Array(4).fill(false));
});

test('date, processors, load and commit of a run are described', () => {
  expect(describeCircumstances(0.123)).toEqual({
    date: new Date().toISOString().slice(0, 10),
    machine: expect.stringMatching(/^\d+ × .+, \d+ GB$/),
    load: '12 % busy with other work',
    commit: expect.stringMatching(/^[0-9a-f]{10}( with changes)?$|^not a git repository$/),
  });
});
