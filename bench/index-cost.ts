import { createFixture, loadFixture } from './fixture.ts';
import type { Load } from './load.ts';
import { measureIssue } from './measure.ts';
import type { Options } from './options.ts';
import { type Row, tableOf } from './report.ts';
import { type Place, serac } from './subject.ts';

/** What the history index costs the chain: the same transactions to a node that keeps one and to a node that does not. */
export async function runIndexCost(place: Place, load: Load, options: Options): Promise<void> {
  console.error('making transactions');
  const fixture = createFixture(options.rounds, options.issued);
  const ours = await serac(place).start();
  const theirs = await serac(place, undefined, ['--data-api-enabled=false', '--metrics-api-enabled=false']).start();
  for (const { port } of [ours, theirs]) await loadFixture(fixture, port, load);
  const rows: Row[] = [];
  const report = (row: Row): void => void rows.push({ ...row, target: { atLeast: 0.65 } });
  await measureIssue({ ours, theirs }, (_, round) => fixture.toIssue[round] ?? [], load, options, report);
  console.log(tableOf(rows, { ours: 'with index', theirs: 'without', judged: true }));
  await Promise.all([ours.stop(), theirs.stop()]);
}
