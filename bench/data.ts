import { join } from 'node:path';
import { openChainStore } from './chain-store.ts';
import { makeDataDir } from './data-dir.ts';
import { callsForCold, coldCalls, type DataRow, dataRows } from './data-rows.ts';
import { BenchError } from './fault.ts';
import type { Load, Requests } from './load.ts';
import { ask, isWanted, measureRates } from './measure.ts';
import type { Options } from './options.ts';
import { pageTurner } from './page-tokens.ts';
import { memoryOf } from './process-usage.ts';
import { median, type Row, ratioOf, tableOf } from './report.ts';
import { bare, type Place, type Subject, serac } from './subject.ts';

/** A row under one kind of load, with what it was answered. */
type Run = { readonly row: DataRow; readonly name: string; readonly requests: Requests; readonly answer: string };

/** The Data and Metrics interfaces over a long history, beside a bare server that answers the same bytes. */
export async function runData(place: Place, load: Load, options: Options): Promise<void> {
  const made = await makeDataDir(options.keep ?? join(place.dir, 'data'), options.quick ? 100_000 : 1_000_000, place.signal);
  console.log(
    `${made.txs} transactions in ${made.blocks} blocks, ${made.unspent} UTXOs, ${made.megabytes} MB: made and indexed in ${made.seconds} s`,
  );
  const store = openChainStore(made.dir, 'read');
  try {
    const { history } = store;
    if (history === undefined) throw new BenchError('the index is off');
    const pin = await history.tip();
    const rows = await dataRows({ made, history, pin, lastUtxo: store.state.stats().utxos, turnTo: pageTurner(store.secret()) });
    const wanted = rows.filter(({ name }) => isWanted(name, options));
    for (const workers of options.workers) await measure(place, load, options, { dir: made.dir, rows: wanted, workers });
  } finally {
    store.close();
  }
}

type Setting = { readonly dir: string; readonly rows: readonly DataRow[]; readonly workers: string };

async function measure(place: Place, load: Load, options: Options, { dir, rows, workers }: Setting): Promise<void> {
  const ours = await serac(place, dir, [`--workers=${workers}`]).start();
  const runs = await runsOf(ours, rows);
  const theirs = await bare(place, Object.fromEntries(runs.map(({ name, answer }) => [name, answer]))).start();
  const measured = new Map<Run, Row>();
  for (const run of runs) {
    const { row, name, requests } = run;
    const requestsTo = ({ pathOf }: Subject) => requests.map((call) => ({ ...call, path: pathOf(name, call.path) }));
    const rates = await measureRates({ ours, theirs }, requestsTo, load, options);
    const shown = `${name} (${sizeText(run.answer)})`;
    measured.set(run, { name: shown, unit: '/s', ...rates, target: { atLeast: row.atLeast } });
    console.error(`  ${shown}`);
  }
  console.log(`\n--workers=${workers}`);
  console.log(tableOf([...measured.values()], { ours: ours.name, theirs: theirs.name, judged: true }));
  for (const line of lastBesideFirst(measured)) console.log(line);
  console.log(`memory after these runs: ${Math.round(memoryOf(ours.pid)?.megabytes ?? Number.NaN)} MB`);
  await Promise.all([ours.stop(), theirs.stop()]);
}

/** What is kept costs the same whatever page it is: those in the middle are only asked for cold. */
async function runsOf({ port }: Subject, rows: readonly DataRow[]): Promise<Run[]> {
  const runs: Run[] = [];
  const firsts = new Map<string, string>();
  for (const row of rows) {
    const answer = await ask(port, row.again);
    checkPage(row, answer, firsts);
    const cold = coldCalls(row, answer.length);
    if (row.list?.page !== 'any') runs.push({ row, name: `${row.name}, asked again`, requests: [row.again], answer });
    // There may be too few different ones for that.
    const kind = cold.length < callsForCold(answer.length) ? 'partly cold' : 'cold';
    runs.push({ row, name: `${row.name}, ${kind}`, requests: cold, answer: await ask(port, cold[0] ?? row.again) });
  }
  return runs;
}

/** A token that is not understood gives the first page again: that would be no measurement of the last one. */
function checkPage({ name, list }: DataRow, answer: string, firsts: Map<string, string>): void {
  if (list === undefined) return;
  const { [list.items]: items, nextPageToken } = JSON.parse(answer) as { [items: string]: unknown[] } & { nextPageToken?: string };
  const first = JSON.stringify(items?.[0]);
  if (items?.length !== list.count) throw new BenchError(`${name}: ${items?.length} items, not ${list.count}`);
  if ((nextPageToken === undefined) !== (list.page === 'last')) throw new BenchError(`${name}: it is not that page`);
  if (list.page === 'first') firsts.set(list.name, first);
  else if (firsts.get(list.name) === first) throw new BenchError(`${name}: the first page was given`);
}

/** Pages differ in size, so beside the rates stand the shares of what the bare server reached with the same bytes. */
function lastBesideFirst(measured: ReadonlyMap<Run, Row>): string[] {
  const found = (list: string, page: string) =>
    [...measured].find(([{ row, name }]) => row.list?.name === list && row.list.page === page && name.endsWith('cold'))?.[1];
  const lists = new Set([...measured.keys()].flatMap(({ row }) => row.list?.name ?? []));
  return [...lists].flatMap((list) => {
    const [first, last] = [found(list, 'first'), found(list, 'last')];
    if (first === undefined || last === undefined) return [];
    const [before, after] = [ratioOf(first), ratioOf(last)];
    const rates = `${(median(last.ours) / median(first.ours)).toFixed(2)}x its rate`;
    const verdict = after / before >= flat ? 'no slower' : 'slower';
    return [`${list}, cold: last page ${rates}, ${after.toFixed(2)}x of bare beside ${before.toFixed(2)}x: ${verdict}`];
  });
}

/** Less could not be told from noise. */
const flat = 0.85;

const sizeText = (answer: string): string => (answer.length < 10_000 ? `${answer.length} B` : `${Math.round(answer.length / 1000)} kB`);
