import { createFixture, issueFixture } from './fixture.ts';
import type { LoadGenerator } from './load.ts';
import { measureIssue } from './measure.ts';
import type { Options } from './options.ts';
import { formatTable, type ReportRow } from './report.ts';
import { type BenchEnv, serac } from './servers.ts';

/** Measures the cost of the history index: issues the same transactions to a node with an index and to one without. */
export async function runIndexCost(env: BenchEnv, load: LoadGenerator, options: Options): Promise<void> {
  console.error('creating transactions');
  const fixture = createFixture(options.rounds, options.issued);
  const ours = await serac(env).start();
  const theirs = await serac(env, undefined, ['--data-api-enabled=false', '--metrics-api-enabled=false']).start();
  for (const { port } of [ours, theirs]) await issueFixture(fixture, port, load);
  const rows: ReportRow[] = [];
  const report = (row: ReportRow): void => void rows.push({ ...row, target: { atLeast: 0.65 } });
  await measureIssue({ ours, theirs }, (_, round) => fixture.toIssue[round] ?? [], load, options, report);
  console.log(formatTable(rows, { ours: 'with index', theirs: 'without', showTargets: true }));
  await Promise.all([ours.stop(), theirs.stop()]);
}
