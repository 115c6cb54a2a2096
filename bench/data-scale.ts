import { join } from 'node:path';
import { idText } from '../src/base/bytes/id.ts';
import { compareCosts, formatCosts, openCostedChain } from './call-cost.ts';
import { openChainStore } from './chain-store.ts';
import { type DataDir, prepareDataDir, type QueriedChain } from './data-dir.ts';
import { createColdCalls, createDataRows, type DataRow } from './data-rows.ts';
import { BenchError } from './fault.ts';
import { formatXAddress } from './fixture.ts';
import type { LoadGenerator, Requests } from './load.ts';
import { fetchText, isSelected, measureRates, measureStarts, type Sides } from './measure.ts';
import type { Options } from './options.ts';
import { createPageTokenAdder } from './page-tokens.ts';
import { readMemory } from './process-usage.ts';
import { formatTable, type ReportRow } from './report.ts';
import { type BenchEnv, type BenchServer, serac } from './servers.ts';

const shortTxs = 10_000;

/** The cold calls of a chain by the name of their row. */
type ColdCalls = ReadonlyMap<string, (answerBytes: number) => Requests>;
type Measured = { readonly made: DataDir; readonly calls: ColdCalls };
type Served = BenchServer & Measured;

/** Compares the Data and Metrics APIs over a long history with the same over a short one: the same requests must cost the same. */
export async function runDataScale(env: BenchEnv, load: LoadGenerator, options: Options): Promise<void> {
  const folder = options.keep ?? env.dir;
  const longTxs = options.txs ?? (options.quick ? 100_000 : 1_000_000);
  const prepare = async (txs: number): Promise<Measured> => {
    const made = await prepareDataDir(join(folder, `history-${txs}`), txs, env.signal);
    console.log(
      `${made.txs} transactions in ${made.blocks} blocks, ${made.unspent} UTXOs: ${made.megabytes} MB, made and indexed in ${made.seconds} s`,
    );
    return { made, calls: await listCalls(made) };
  };
  const chains: Sides<Measured> = { ours: await prepare(longTxs), theirs: await prepare(shortTxs) };
  await printCosts(
    { ours: chains.ours.made, theirs: chains.theirs.made },
    { ours: chains.ours.calls, theirs: chains.theirs.calls },
    options,
  );
  const launchers = { ours: serac(env, chains.ours.made.dir), theirs: serac(env, chains.theirs.made.dir) };
  const rows: ReportRow[] = [];
  const report = (row: ReportRow): void => {
    rows.push(row);
    console.error(`  ${row.name}`);
  };
  await measureStarts(launchers, options, report);
  const servers: Sides<Served> = {
    ours: { ...(await launchers.ours.start()), ...chains.ours },
    theirs: { ...(await launchers.theirs.start()), ...chains.theirs },
  };
  for (const name of chains.ours.calls.keys()) {
    if (!isSelected(name, options)) continue;
    const requests = new Map<Served, Requests>();
    for (const server of [servers.ours, servers.theirs]) requests.set(server, await callsTo(server, name));
    const rates = await measureRates(servers, (server) => requests.get(server) ?? [], load, options);
    report({ name, unit: '/s', ...rates, target: { atLeast: 0.77 } });
  }
  console.log(formatTable(rows, { ours: `${longTxs} txs`, theirs: `${shortTxs} txs`, showTargets: true }));
  for (const [name, { pid }] of Object.entries(servers))
    console.log(
      `memory after these runs, ${name === 'ours' ? longTxs : shortTxs} transactions: ${Math.round(readMemory(pid)?.megabytes ?? Number.NaN)} MB`,
    );
  await Promise.all([servers.ours.stop(), servers.theirs.stop()]);
}

/** Prints what the calls of the Data and Metrics APIs cost on two chains. */
export async function printDataCosts(chains: Sides<QueriedChain>, options: Options): Promise<void> {
  await printCosts(chains, { ours: await listCalls(chains.ours), theirs: await listCalls(chains.theirs) }, options);
}

/** Prints what the calls cost in this process: CPU time and statements, which other work on the machine changes less than rates. */
async function printCosts(chains: Sides<QueriedChain>, coldCalls: Sides<ColdCalls>, options: Options): Promise<void> {
  const opened = { ours: await openCostedChain(chains.ours.dir), theirs: await openCostedChain(chains.theirs.dir) };
  console.log('CPU µs and statements per call in one process without cached items, long and short history, quotient of the times:');
  for (const name of coldCalls.ours.keys()) {
    if (!isSelected(name, options) || name === explorerPage) continue;
    // An answer of this size asks for some dozens of different calls.
    const calls = { ours: coldCalls.ours.get(name)?.(1_000_000) ?? [], theirs: coldCalls.theirs.get(name)?.(1_000_000) ?? [] };
    // The first call of a list may sort it; a call that sorts it again takes too long to be repeated.
    await opened.ours.run(calls.ours.slice(0, 1));
    const once = await opened.ours.run(calls.ours.slice(1, 2));
    if (once.micros > longCall) {
      console.log(formatCosts(`${name} (once)`, { ours: once, theirs: await opened.theirs.run(calls.theirs.slice(1, 2)) }));
      continue;
    }
    const callsAt = (side: keyof Sides<unknown>, turn: number): Requests =>
      Array.from({ length: callsPerTurn }, (_, i) => calls[side][(turn * callsPerTurn + i) % calls[side].length] as Requests[number]);
    console.log(formatCosts(name, await compareCosts(opened, callsAt)));
  }
  opened.ours.close();
  opened.theirs.close();
}

const callsPerTurn = 12;
/** Microseconds. */
const longCall = 500_000;

async function callsTo({ port, calls }: Served, name: string): Promise<Requests> {
  const make = calls.get(name);
  const [first] = make?.(1_000_000) ?? [];
  if (make === undefined || first === undefined) throw new BenchError(`no calls for ${name}`);
  return make((await fetchText(port, first)).length);
}

/** The cold calls of the Data bench, and those of routes that were seen to grow with the chain. */
async function listCalls(made: QueriedChain): Promise<ColdCalls> {
  const store = openChainStore(made.dir, 'read');
  try {
    const { history } = store;
    if (history === undefined) throw new BenchError('the history index is disabled');
    const known = { made, history, pin: await history.tip() };
    const rows: DataRow[] = await createDataRows({ ...known, addPageToken: createPageTokenAdder(store.pageSecret()) });
    const calls = new Map(rows.map((row) => [row.name, (bytes: number) => createColdCalls(row, bytes)] as const));
    for (const [name, pathAt] of grownPaths(made))
      calls.set(name, () => Array.from({ length: distinctCalls }, (_, at) => ({ path: pathAt(at) })));
    return calls;
  } finally {
    store.close();
  }
}

const distinctCalls = 2000;
/** Rendered by the server, not by an API. */
const explorerPage = 'the first page of the explorer';

function grownPaths({ hotAddress, busyAsset, addresses, addressAt }: QueriedChain): [name: string, pathAt: (at: number) => string][] {
  const chain = '/v1/networks/local/blockchains/x-chain';
  const hot = formatXAddress(hotAddress);
  const some = (at: number): string => Array.from({ length: 64 }, (_, i) => formatXAddress(addressAt((at * 64 + i) % addresses))).join();
  return [
    ['UTXOs of 64 addresses', (at) => `${chain}/utxos?addresses=${some(at)}&pageSize=100`],
    ['balances of 64 addresses', (at) => `${chain}/balances?addresses=${some(at)}`],
    [
      'UTXOs of one asset of the hot address',
      (at) => `${chain}/utxos?addresses=${hot}&assetId=${idText(busyAsset)}&pageSize=100&minUtxoAmount=${at + 1}`,
    ],
    ['active addresses of rolling windows', (at) => `/v2/chains/X/rollingWindowMetrics/activeAddresses?at=${at}`],
    [explorerPage, (at) => `/?at=${at}`],
  ];
}
