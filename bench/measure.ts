import type { Tx } from '../src/tx/tx.ts';
import { BenchError } from './fault.ts';
import { type Fixture, issueAll, rpcBody, waitAccepted, xPath } from './fixture.ts';
import type { Load, Requests } from './load.ts';
import type { Options } from './options.ts';
import { cpuOf, memoryOf } from './process-usage.ts';
import { type Answered, readRows } from './read-rows.ts';
import type { Row } from './report.ts';
import type { Call } from './socket-load.ts';
import type { Kind, Subject } from './subject.ts';

/** Two of a kind side by side: Serac and what it is measured against. */
export type Sides<T> = { readonly ours: T; readonly theirs: T };

type Report = (row: Row) => void;

/** Calls that read, once the same transactions are in both. */
export async function measureReads(servers: Sides<Subject>, fixture: Fixture, load: Load, options: Options, report: Report): Promise<void> {
  for (const { name, atLeast, requests, alike } of readRows.filter((row) => isWanted(row.name, options))) {
    const asked = requests(fixture);
    await compareAnswers(name, asked, alike, servers);
    const requestsTo = ({ pathOf }: Subject) => asked.map((call) => ({ ...call, path: pathOf(name, call.path) }));
    report({ name, unit: '/s', ...(await measureRates(servers, requestsTo, load, options)), target: { atLeast } });
  }
}

/** Answers per second of both to requests of the same kind, after each has been warmed up. */
export async function measureRates<S extends Subject>(
  servers: Sides<S>,
  requestsTo: (server: S) => Requests,
  load: Load,
  { rounds, seconds }: Options,
): Promise<Sides<number[]> & { cpu: Sides<number[]> }> {
  const run = async (server: S, length: number): Promise<Rate> => {
    const before = cpuOf(server.pid);
    const perSecond = await load.perSecond(server.port, requestsTo(server), length);
    const cpu = micros(before, cpuOf(server.pid), perSecond * length);
    await settled(server.port);
    return { perSecond, cpu };
  };
  for (const server of [servers.ours, servers.theirs]) await run(server, warmUpSeconds);
  return rowOf(await alternate(rounds, servers, (server) => run(server, seconds)));
}

/** Accepted transactions per second: on disk, as both servers run with a data directory. */
export async function measureIssue<S extends Subject>(
  servers: Sides<S>,
  toIssue: (server: S, round: number) => readonly Tx[],
  load: Load,
  options: Options,
  report: Report,
): Promise<void> {
  if (!isWanted(names.issue, options)) return;
  const rates = await alternate(options.rounds, servers, async (server, round): Promise<Rate> => {
    const txs = toIssue(server, round);
    const before = cpuOf(server.pid);
    const seconds = await issueAll(txs, server.port, load);
    const cpu = micros(before, cpuOf(server.pid), txs.length);
    return { perSecond: txs.length / (seconds + (await waitAccepted(txs, server.port, load))), cpu };
  });
  report({ name: names.issue, unit: '/s', ...rowOf(rates), target: { atLeast: 3 } });
}

/** From the start of the process to its first answer and to healthy, and what it weighs when nothing is asked of it. */
export async function measureStarts(kinds: Sides<Kind>, options: Options, report: Report): Promise<void> {
  if (![names.answer, names.healthy, names.memory].some((name) => isWanted(name, options))) return;
  const healthy: Sides<number[]> = { ours: [], theirs: [] };
  const memory: Sides<number[]> = { ours: [], theirs: [] };
  let processes = 1;
  const answered = await alternate(options.rounds, kinds, async (kind, _, side) => {
    const subject = await kind.start();
    try {
      healthy[side].push(await subject.healthyAfter());
      await Bun.sleep(idleMs);
      const weighed = memoryOf(subject.pid);
      if (weighed !== undefined) memory[side].push(weighed.megabytes);
      if (side === 'ours') processes = weighed?.processes ?? 1;
    } finally {
      await subject.stop();
    }
    return subject.answeredAfter;
  });
  report({ name: names.answer, unit: 'ms', ...answered, target: { atMost: 350 } });
  report({ name: names.healthy, unit: 'ms', ...healthy, target: { atMost: 350 } });
  if (memory.ours.length > 0)
    report({
      name: `${names.memory} (${processes} process${processes === 1 ? '' : 'es'})`,
      unit: 'MB',
      ...memory,
      target: { atMost: 80 + 45 * (processes - 1) },
    });
}

/** The answer of a server to one request, as text. */
export async function ask(port: number, { path, body }: Call): Promise<string> {
  const post = body === undefined ? {} : { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { ...post, signal: AbortSignal.timeout(60_000) });
  const text = await response.text();
  if (response.status !== 200) throw new BenchError(`${path} was answered with ${response.status}: ${text.slice(0, 400)}`);
  return text;
}

export function firstOf(requests: Requests): Call {
  const [first] = requests;
  if (first === undefined) throw new BenchError('a row asks nothing');
  return first;
}

export const isWanted = (name: string, { only }: Options): boolean => only === undefined || name.toLowerCase().includes(only.toLowerCase());

/** Long enough for a runtime that compiles what it runs often. */
const warmUpSeconds = 1;
const idleMs = 1500;

const names = {
  issue: 'issueTx accepted',
  answer: 'start to first answer',
  healthy: 'start to healthy',
  memory: 'idle memory',
} as const;

/** Round by round on one and the other, each going first every second time: what changes on the machine meanwhile meets both. */
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

/** What one run gave: answers per second, and microseconds of processor time that the server spent on each. */
type Rate = { readonly perSecond: number; readonly cpu: number };

const micros = (before: number | undefined, after: number | undefined, answers: number): number =>
  (((after ?? Number.NaN) - (before ?? Number.NaN)) / answers) * 1e6;

const rowOf = ({ ours, theirs }: Sides<Rate[]>): Sides<number[]> & { cpu: Sides<number[]> } => ({
  ours: ours.map(({ perSecond }) => perSecond),
  theirs: theirs.map(({ perSecond }) => perSecond),
  cpu: { ours: ours.map(({ cpu }) => cpu), theirs: theirs.map(({ cpu }) => cpu) },
});

/** A rate of wrong answers is worth nothing: both must say the same. */
async function compareAnswers(name: string, asked: Requests, alike: (result: Answered) => unknown, servers: Sides<Subject>): Promise<void> {
  const call = firstOf(asked);
  const texts = await Promise.all(
    [servers.ours, servers.theirs].map(async ({ port, pathOf }) => {
      const answer: Answered = JSON.parse(await ask(port, { ...call, path: pathOf(name, call.path) }));
      if (answer.result === undefined) throw new BenchError(`${name}: ${JSON.stringify(answer)}`);
      return JSON.stringify(alike(answer.result));
    }),
  );
  if (texts[0] !== texts[1]) throw new BenchError(`${name}: the answers differ:\n${texts.map((text) => text.slice(0, 400)).join('\n')}`);
}

/** What was in flight when a run ended is still being worked on; the next run must not pay for it. */
async function settled(port: number): Promise<void> {
  await ask(port, { path: xPath, body: rpcBody('avm.getHeight') });
  await Bun.sleep(50);
}
