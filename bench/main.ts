import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runData } from './data.ts';
import { createFixture, type Fixture, loadFixture } from './fixture.ts';
import { runFollow } from './follow.ts';
import { runIndexCost } from './index-cost.ts';
import { createLoad, type Load } from './load.ts';
import { ask, firstOf, isWanted, measureIssue, measureReads, measureStarts, type Sides } from './measure.ts';
import { type Mode, type Options, parseOptions, usage } from './options.ts';
import { machineInUse, memoryOf } from './process-usage.ts';
import { readRows } from './read-rows.ts';
import { type Row, tableOf } from './report.ts';
import { runScale } from './scale.ts';
import { avalancheGo, bare, type Place, type Subject, serac } from './subject.ts';

const options = parseOptions(process.argv.slice(2));
if (typeof options === 'string') {
  console.error(`${options}\n\n${usage}`);
  process.exit(2);
}

const dir = mkdtempSync(join(tmpdir(), 'serac-bench-'));
const ending = new AbortController();
const place: Place = { dir, signal: ending.signal };
const modes: { readonly [M in Mode]: (load: Load, options: Options, binary: string | undefined) => Promise<void> } = {
  table: runTable,
  scale: (load, options) => runScale(place, load, options),
  data: (load, options) => runData(place, load, options),
  'index-cost': (load, options) => runIndexCost(place, load, options),
  follow: (load, options, binary) => runFollow(place, load, options, binary),
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => ending.abort());

try {
  const load = createLoad(place);
  const inUse = await machineInUse(1000);
  if (inUse !== undefined) console.error(`${navigator.hardwareConcurrency} processors, ${Math.round(inUse * 100)} % in use by others`);
  await modes[options.mode](load, options, process.env.AVALANCHEGO || undefined);
} catch (error) {
  process.exitCode = 1;
  console.error(ending.signal.aborted ? 'stopped' : (error as Error).message);
} finally {
  ending.abort();
  rmSync(dir, { recursive: true, force: true });
}

async function runTable(load: Load, options: Options, binary: string | undefined): Promise<void> {
  const rows: Row[] = [];
  const report = (row: Row): void => {
    rows.push(row);
    console.error(`  ${row.name}`);
  };
  console.error(`making transactions; load by ${load.tool === 'wrk' ? 'wrk' : 'our own generator'}`);
  const fixture = createFixture(options.rounds, options.issued);
  const ours = await serac(place).start();
  await loadFixture(fixture, ours.port, load);
  const other = binary === undefined ? bare(place, await recorded(ours, fixture, options)) : avalancheGo(place, binary);
  const theirs = await other.start();
  if (binary !== undefined) {
    await theirs.healthyAfter();
    await loadFixture(fixture, theirs.port, load);
  }
  console.error(`${ours.name} beside ${theirs.name}, ${options.rounds} rounds of ${options.seconds} s`);
  const servers: Sides<Subject> = { ours, theirs };
  await measureReads(servers, fixture, load, options, report);
  await measureIssue(servers, (_, round) => fixture.toIssue[round] ?? [], load, options, report);
  const loaded = [ours, theirs].map((subject) => `${subject.name} ${Math.round(memoryOf(subject.pid)?.megabytes ?? Number.NaN)} MB`);
  for (const subject of [ours, theirs]) await subject.stop();
  await measureStarts({ ours: serac(place), theirs: other }, options, report);
  console.log(tableOf(rows, { ours: ours.name, theirs: theirs.name, judged: binary !== undefined }));
  console.log(`memory after these runs: ${loaded.join(', ')}`);
}

/** What Serac answers to every row, for the bare server to repeat. */
async function recorded(subject: Subject, fixture: Fixture, options: Options): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  for (const row of readRows.filter(({ name }) => isWanted(name, options))) {
    answers[row.name] = await ask(subject.port, firstOf(row.requests(fixture)));
  }
  return answers;
}
