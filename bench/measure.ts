import { fetchNode } from '../src/api/client/node-fetch.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import { BenchError } from './fault.ts';
import { type Fixture, issueAll, issueFixture, waitAccepted } from './fixture.ts';
import type { LoadGenerator, Requests } from './load.ts';
import type { Options } from './options.ts';
import { readCpuSeconds, readMemory } from './process-usage.ts';
import { type JsonValue, readRows } from './read-rows.ts';
import type { ReportRow } from './report.ts';
import type { BenchServer, Launcher } from './servers.ts';
import type { LoadCall } from './socket-load.ts';

/** A value for each of the two servers: Serac (`ours`) and the one it is compared with (`theirs`). */
export type Sides<T> = { readonly ours: T; readonly theirs: T };

type ReportRowTo = (row: ReportRow) => void;

/** Measures read calls on two servers that have accepted the same transactions. */
export async function measureReads(
  servers: Sides<BenchServer>,
  fixture: Fixture,
  load: LoadGenerator,
  options: Options,
  report: ReportRowTo,
): Promise<void> {
  for (const { name, atLeast, requests, comparable } of readRows.filter((row) => isSelected(row.name, options))) {
    const calls = requests(fixture);
    await compareResponses(name, calls, comparable, servers);
    const requestsTo = ({ pathOf }: BenchServer) => calls.map((call) => ({ ...call, path: pathOf(name, call.path) }));
    report({ name, unit: '/s', ...(await measureRates(servers, requestsTo, load, options)), target: { atLeast } });
  }
}

/** Measures the responses per second of both servers to the same requests, after a warm-up. */
export async function measureRates<S extends BenchServer>(
  servers: Sides<S>,
  requestsTo: (server: S) => Requests,
  load: LoadGenerator,
  { rounds, seconds }: Options,
): Promise<Sides<number[]> & { cpu: Sides<number[]> }> {
  const run = async (server: S, length: number): Promise<Rate> => {
    const before = readCpuSeconds(server.pid);
    const perSecond = await load.measureRate(server.port, requestsTo(server), length);
    const cpu = cpuMicros(before, readCpuSeconds(server.pid), perSecond * length);
    await waitUntilIdle(server);
    return { perSecond, cpu };
  };
  for (const server of [servers.ours, servers.theirs]) await run(server, warmUpSeconds);
  return toRow(await alternate(rounds, servers, (server) => run(server, seconds)));
}

/**
 * Measures accepted transactions per second. Both servers run with a data directory, so accepted transactions are on disk. Returns the row,
 * or undefined if it is not selected.
 */
export async function measureIssue<S extends BenchServer>(
  servers: Sides<S>,
  toIssue: (server: S, round: number) => readonly Tx[],
  load: LoadGenerator,
  options: Options,
  report: ReportRowTo,
): Promise<ReportRow | undefined> {
  if (!isSelected(rowNames.issue, options)) return undefined;
  const rates = await alternate(options.rounds, servers, (server, round) => issueRound(server, toIssue(server, round), load));
  const row: ReportRow = { name: rowNames.issue, unit: '/s', ...toRow(rates), target: { atLeast: 3 } };
  report(row);
  return row;
}

/** Measures the same with fixed numbers of reader processes, against what the other server reached in `row`. */
export async function measureIssueByWorkers(
  row: ReportRow,
  launcher: (workers: number) => Launcher,
  fixture: Fixture,
  load: LoadGenerator,
  report: ReportRowTo,
): Promise<void> {
  for (const workers of [0, 1, 2]) {
    const server = await launcher(workers).start();
    try {
      await issueFixture(fixture, server.port, load);
      const rates: Rate[] = [];
      for (const txs of fixture.toIssue) rates.push(await issueRound(server, txs, load));
      const { ours, cpu } = toRow({ ours: rates, theirs: [] });
      report({
        ...row,
        name: `${row.name}, --workers ${workers}`,
        ours,
        ...(row.cpu && { cpu: { ours: cpu.ours, theirs: row.cpu.theirs } }),
      });
    } finally {
      await server.stop();
    }
  }
}

/** Issues transactions and waits until each is accepted. The queries of that wait, one for each transaction, are not in the CPU time. */
export async function issueRound(server: BenchServer, txs: readonly Tx[], load: LoadGenerator): Promise<Rate> {
  const before = readCpuSeconds(server.pid);
  const seconds = await issueAll(txs, server.port, load);
  const cpu = cpuMicros(before, readCpuSeconds(server.pid), txs.length);
  return { perSecond: txs.length / (seconds + (await waitAccepted(txs, server.port, load))), cpu };
}

/** Measures the time from the start of the process to its first response and to healthy, and the memory of an idle server. */
export async function measureStarts(launchers: Sides<Launcher>, options: Options, report: ReportRowTo): Promise<void> {
  if (![rowNames.firstResponse, rowNames.healthy, rowNames.memory].some((name) => isSelected(name, options))) return;
  const healthy: Sides<number[]> = { ours: [], theirs: [] };
  const memory: Sides<number[]> = { ours: [], theirs: [] };
  let processes = 1;
  const firstResponse = await alternate(options.rounds, launchers, async (launcher, _, side) => {
    const server = await launcher.start();
    try {
      healthy[side].push(await server.waitHealthy());
      await Bun.sleep(idleMs);
      const used = readMemory(server.pid);
      if (used !== undefined) memory[side].push(used.megabytes);
      if (side === 'ours') processes = used?.processes ?? 1;
    } finally {
      await server.stop();
    }
    return server.firstResponseMs;
  });
  report({ name: rowNames.firstResponse, unit: 'ms', ...firstResponse, target: { atMost: 250 } });
  report({ name: rowNames.healthy, unit: 'ms', ...healthy, target: { atMost: 250 } });
  if (memory.ours.length > 0)
    report({
      name: `${rowNames.memory} (${processes} process${processes === 1 ? '' : 'es'})`,
      unit: 'MB',
      ...memory,
      target: { atMost: 80 + 45 * (processes - 1) },
    });
}

/** Sends one request; returns the body of the response. */
export async function fetchText(port: number, { path, body }: LoadCall): Promise<string> {
  const post = body === undefined ? {} : { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const response = await fetchNode(`http://127.0.0.1:${port}${path}`, { ...post, signal: AbortSignal.timeout(60_000) });
  const text = await response.text();
  if (response.status !== 200) throw new BenchError(`${path} returned status ${response.status}: ${text.slice(0, 400)}`);
  return text;
}

export function firstCall(requests: Requests): LoadCall {
  const [first] = requests;
  if (first === undefined) throw new BenchError('a row has no requests');
  return first;
}

export const isSelected = (name: string, { only }: Options): boolean =>
  only === undefined || name.toLowerCase().includes(only.toLowerCase());

/** Long enough for the runtime to compile hot code. */
const warmUpSeconds = 1;
const idleMs = 1500;

const rowNames = {
  issue: 'issueTx accepted',
  firstResponse: 'start to first response',
  healthy: 'start to healthy',
  memory: 'idle memory',
} as const;

/** Runs each round on both servers. The server that goes first alternates, so that changes of the machine's load affect both equally. */
export async function alternate<T, R>(
  rounds: number,
  sides: Sides<T>,
  run: (one: T, round: number, side: 'ours' | 'theirs') => Promise<R>,
): Promise<Sides<R[]>> {
  const results: Sides<R[]> = { ours: [], theirs: [] };
  for (let round = 0; round < rounds; round++)
    for (const side of round % 2 === 0 ? (['ours', 'theirs'] as const) : (['theirs', 'ours'] as const))
      results[side].push(await run(sides[side], round, side));
  return results;
}

/** The result of one run: responses per second, and microseconds of CPU time per response. */
export type Rate = { readonly perSecond: number; readonly cpu: number };

const cpuMicros = (before: number | undefined, after: number | undefined, responses: number): number =>
  (((after ?? Number.NaN) - (before ?? Number.NaN)) / responses) * 1e6;

const toRow = ({ ours, theirs }: Sides<Rate[]>): Sides<number[]> & { cpu: Sides<number[]> } => ({
  ours: ours.map(({ perSecond }) => perSecond),
  theirs: theirs.map(({ perSecond }) => perSecond),
  cpu: { ours: ours.map(({ cpu }) => cpu), theirs: theirs.map(({ cpu }) => cpu) },
});

/** Throws if the two servers respond differently to the first request: rates are only comparable for the same responses. */
async function compareResponses(
  name: string,
  calls: Requests,
  comparable: (result: JsonValue) => unknown,
  servers: Sides<BenchServer>,
): Promise<void> {
  const call = firstCall(calls);
  const texts = await Promise.all(
    [servers.ours, servers.theirs].map(async ({ port, pathOf }) => {
      const response: JsonValue = JSON.parse(await fetchText(port, { ...call, path: pathOf(name, call.path) }));
      if (response.result === undefined) throw new BenchError(`${name}: ${JSON.stringify(response)}`);
      return JSON.stringify(comparable(response.result));
    }),
  );
  if (texts[0] !== texts[1]) throw new BenchError(`${name}: the responses differ:\n${texts.map((text) => text.slice(0, 400)).join('\n')}`);
}

/** Waits until the server has finished the requests that were in flight when a run ended, so that they do not slow the next run. */
async function waitUntilIdle({ port, probe }: BenchServer): Promise<void> {
  await fetchText(port, probe);
  await Bun.sleep(50);
}
