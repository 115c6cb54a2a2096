import { join } from 'node:path';
import type { IndexReads } from '../src/ledger/index-read/index-reads.ts';
import { openChainStore } from './chain-store.ts';
import { prepareDataDir } from './data-dir.ts';
import { countStatements, formatStatements } from './data-postgres.ts';
import { countColdCalls, createColdCalls, createDataRows, type DataRow } from './data-rows.ts';
import { BenchError } from './fault.ts';
import { formatRendering, measureRendering } from './first-rendering.ts';
import type { LoadGenerator, Requests } from './load.ts';
import { fetchText, isSelected, measureRates } from './measure.ts';
import type { Options } from './options.ts';
import { createPageTokenAdder } from './page-tokens.ts';
import { preparePostgres } from './postgres-chain.ts';
import { readMemory } from './process-usage.ts';
import { formatTable, median, type ReportRow, ratioOf } from './report.ts';
import { type BenchEnv, type BenchServer, bareServer, type Launcher, serac, seracApi } from './servers.ts';

/** A row with one kind of load (repeated or cold), and its response. */
type Run = { readonly row: DataRow; readonly name: string; readonly requests: Requests; readonly response: string };

/** Measures the Data and Metrics APIs over a long history, in comparison with a bare server that returns the same bytes. */
export async function runData(env: BenchEnv, load: LoadGenerator, options: Options): Promise<readonly ReportRow[]> {
  const made = await prepareDataDir(options.keep ?? join(env.dir, 'data'), options.quick ? 100_000 : 1_000_000, env.signal);
  console.log(
    `${made.txs} transactions in ${made.blocks} blocks, ${made.unspent} UTXOs, ${made.megabytes} MB: made and indexed in ${made.seconds} s`,
  );
  const store = openChainStore(made.dir, 'read');
  try {
    const { history } = store;
    if (history === undefined) throw new BenchError('the history index is disabled');
    const rowsOf = async (reads: IndexReads, pageSecret: Uint8Array): Promise<DataRow[]> => {
      const known = { made, history: reads, pin: await reads.tip() };
      const rows = await createDataRows({ ...known, addPageToken: createPageTokenAdder(pageSecret) });
      return rows.filter(({ name }) => isSelected(name, options));
    };
    const rows = await rowsOf(history, store.pageSecret());
    const costs = await measureRendering({ reads: history, pageSecret: store.pageSecret() }, rows);
    for (const line of formatRendering(costs)) console.log(line);
    const firstRenderings = [...costs].map(
      ([{ name }, { first }]): ReportRow => ({
        name: `${name}, CPU time`,
        unit: 'ms',
        ours: [first / 1000],
        theirs: [],
        target: { atMost: Number.POSITIVE_INFINITY },
      }),
    );
    for (const workers of options.workers) {
      const flag = `--workers=${workers}`;
      await measure(env, load, options, { title: flag, launcher: serac(env, made.dir, [flag]), rows });
    }
    if (options.postgres === undefined) return firstRenderings;
    const copy = await preparePostgres(options.postgres, store, made);
    try {
      const rowsOfCopy = await rowsOf(copy.reads, copy.pageSecret);
      await measure(env, load, options, { title: 'serac api', launcher: seracApi(env, copy.url), rows: rowsOfCopy });
      for (const line of formatStatements(await countStatements(copy, rowsOfCopy))) console.log(line);
      return firstRenderings;
    } finally {
      await copy.close();
    }
  } finally {
    store.close();
  }
}

type DataSetup = { readonly title: string; readonly launcher: Launcher; readonly rows: readonly DataRow[] };

async function measure(env: BenchEnv, load: LoadGenerator, options: Options, { title, launcher, rows }: DataSetup): Promise<void> {
  const ours = await launcher.start();
  const runs = await prepareRuns(ours, rows);
  const theirs = await bareServer(env, Object.fromEntries(runs.map(({ name, response }) => [name, response]))).start();
  const measured = new Map<Run, ReportRow>();
  for (const run of runs) {
    const { row, name, requests } = run;
    const requestsTo = ({ pathOf }: BenchServer) => requests.map((call) => ({ ...call, path: pathOf(name, call.path) }));
    const rates = await measureRates({ ours, theirs }, requestsTo, load, options);
    const shown = `${name} (${formatSize(run.response)})`;
    measured.set(run, { name: shown, unit: '/s', ...rates, target: { atLeast: row.atLeast } });
    console.error(`  ${shown}`);
  }
  console.log(`\n${title}`);
  console.log(formatTable([...measured.values()], { ours: ours.name, theirs: theirs.name, showTargets: true }));
  for (const line of compareLastWithFirst(measured)) console.log(line);
  console.log(`memory after these runs: ${Math.round(readMemory(ours.pid)?.megabytes ?? Number.NaN)} MB`);
  await Promise.all([ours.stop(), theirs.stop()]);
}

/** Prepares the runs of each row. A cached response costs the same for every page, so pages in the middle of a list are only measured cold. */
async function prepareRuns({ port }: BenchServer, rows: readonly DataRow[]): Promise<Run[]> {
  const runs: Run[] = [];
  const firsts = new Map<string, string>();
  for (const row of rows) {
    const response = await fetchText(port, row.repeated);
    checkPage(row, response, firsts);
    const cold = createColdCalls(row, response.length);
    if (row.list?.page !== 'any') runs.push({ row, name: `${row.name}, repeated`, requests: [row.repeated], response });
    // There may be too few different calls to always miss the cache.
    const kind = cold.length < countColdCalls(response.length) ? 'partly cold' : coldKind(row);
    runs.push({ row, name: `${row.name}, ${kind}`, requests: cold, response: await fetchText(port, cold[0] ?? row.repeated) });
  }
  return runs;
}

/** Cold calls for the first or last page have the same items, which are rendered once; those for any page have others each time. */
const coldKind = ({ list }: DataRow): string => {
  if (list === undefined) return 'cold';
  return list.page === 'any' ? 'cold, other items' : 'cold, known items';
};

/** Checks that a response is the expected page: a page token that is not accepted would return the first page again. */
function checkPage({ name, list }: DataRow, response: string, firsts: Map<string, string>): void {
  if (list === undefined) return;
  const { [list.items]: items, nextPageToken } = JSON.parse(response) as { [items: string]: unknown[] } & { nextPageToken?: string };
  const first = JSON.stringify(items?.[0]);
  if (items?.length !== list.count) throw new BenchError(`${name}: ${items?.length} items, not ${list.count}`);
  if ((nextPageToken === undefined) !== (list.page === 'last')) throw new BenchError(`${name}: the response is not the ${list.page} page`);
  if (list.page === 'first') firsts.set(list.name, first);
  else if (firsts.get(list.name) === first) throw new BenchError(`${name}: the response is the first page`);
}

/** Compares the cold rates of the last and the first page. Pages differ in size, so their shares of the bare server's rate are compared. */
function compareLastWithFirst(measured: ReadonlyMap<Run, ReportRow>): string[] {
  const found = (list: string, page: string) =>
    [...measured].find(([{ row, name }]) => row.list?.name === list && row.list.page === page && name.includes(', cold'))?.[1];
  const lists = new Set([...measured.keys()].flatMap(({ row }) => row.list?.name ?? []));
  return [...lists].flatMap((list) => {
    const [first, last] = [found(list, 'first'), found(list, 'last')];
    if (first === undefined || last === undefined) return [];
    const [before, after] = [ratioOf(first), ratioOf(last)];
    const rates = `${(median(last.ours) / median(first.ours)).toFixed(2)}x its rate`;
    const result = after / before >= minRelativeRate ? 'no slower' : 'slower';
    return [`${list}, cold: last page ${rates}, ${after.toFixed(2)}x of bare against ${before.toFixed(2)}x: ${result}`];
  });
}

/** Smaller differences cannot be distinguished from noise. */
const minRelativeRate = 0.85;

const formatSize = (response: string): string =>
  response.length < 10_000 ? `${response.length} B` : `${Math.round(response.length / 1000)} kB`;
