import { appendFileSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openPostgres } from '../src/app/platform/bun/postgres.ts';
import type { Postgres } from '../src/cluster/postgres/postgres.ts';
import { BenchError } from './fault.ts';
import { txsPerBlock } from './growing-chain.ts';
import type { Options } from './options.ts';
import { createDatabase } from './postgres-chain.ts';
import { readCpuSeconds } from './process-usage.ts';
import { alignColumns } from './report.ts';
import { type BenchEnv, findFreePort, indexerCommand } from './servers.ts';

/** One range of the curve: what a transaction in it took. */
export type CurvePoint = {
  readonly date: string;
  /** The range: transactions that were stored at its beginning and at its end. */
  readonly from: number;
  readonly txs: number;
  /** Microseconds of CPU time per transaction. `server`: all processes of PostgreSQL, its checkpoints and vacuums included. */
  readonly indexer: number;
  /** Undefined if the indexer had to connect again within the range. */
  readonly session?: number;
  readonly server: number;
  /** Transactions per second, on the machine as busy as it was. */
  readonly rate: number;
  /** Bytes of WAL per transaction of the range, and of the database per transaction so far. */
  readonly wal: number;
  readonly bytes: number;
  /** Nanoseconds of CPU time of one read at a random place of 64 MB, when the range ended: more on a machine whose caches others use too. */
  readonly read: number;
  readonly settings: string;
};

/**
 * Loads a chain that grows (bench/growing-chain.ts) with `serac index --trust-node` and measures each range between half powers of ten. The database
 * stays: a run that was stopped goes on where it was. With `--record` the points are added to bench/index-load.jsonl.
 */
export async function runIndexCurve(env: BenchEnv, options: Options): Promise<void> {
  if (options.postgres === undefined) throw new BenchError('--index-load needs --postgres URL');
  const last = options.txs ?? 1_000_000;
  const url = new URL(options.postgres);
  url.pathname = '/serac_bench_curve';
  await createDatabase(options.postgres, url.pathname.slice(1));
  const port = await findFreePort();
  const node = Bun.spawn([process.execPath, nodePath, String(port), String(last)], {
    stdout: 'ignore',
    stderr: 'inherit',
    signal: env.signal,
  });
  const command = [
    ...indexerCommand(env),
    `http://127.0.0.1:${port}`,
    `--database-url=${url.href}`,
    '--network-id=local',
    '--trust-node',
    '--silent',
  ];
  const indexer = Bun.spawn(command, { stdout: 'ignore', stderr: 'inherit', signal: env.signal });
  const sql = openPostgres({ url: url.href, max: 1, statementMilliseconds: 60_000, applicationName: 'serac bench' });
  const points: CurvePoint[] = [];
  try {
    await sql.all('SELECT 1', []);
    const addPoint = async (from: Sample, to: Sample): Promise<void> => {
      const point = await measure(sql, from, to);
      points.push(point);
      console.error(JSON.stringify(point));
      if (options.record) appendFileSync(historyPath, `${JSON.stringify(point)}\n`);
    };
    let before = await readSample(sql, indexer.pid);
    for (const txs of rangeEnds(last)) {
      let now = before;
      while (now.txs < txs) {
        if (indexer.exitCode !== null) {
          // The last range of a run that is stopped is shorter.
          if (now.txs > before.txs) await addPoint(before, now);
          throw new BenchError('serac index exited');
        }
        await Bun.sleep(1000);
        const next = await readSample(sql, indexer.pid);
        if (indexer.exitCode === null) now = next;
      }
      if (now.txs > before.txs) await addPoint(before, now);
      before = now;
    }
  } finally {
    indexer.kill('SIGTERM');
    await indexer.exited;
    node.kill('SIGTERM');
    await sql.close();
  }
  console.log(formatCurve(points));
}

/** Half powers of ten from 10^4 on, and the last transaction. */
export function rangeEnds(last: number): readonly number[] {
  const ends = Array.from({ length: 20 }, (_, i) => Math.round(10 ** (4 + i / 2))).filter((end) => end < last * 0.99);
  return [...ends, last];
}

export function formatCurve(points: readonly CurvePoint[]): string {
  const number = (value: number) => Math.round(value).toLocaleString('en');
  return alignColumns([
    ['transactions', 'indexer, µs', 'PostgreSQL, µs', 'its session', 'per second', 'WAL, bytes', 'database, bytes', 'memory, ns', ''],
    ...points.map(({ from, txs, indexer, server, session, rate, wal, bytes, read }) => [
      `${number(from)} to ${number(txs)}`,
      ...[indexer, server, session, rate, wal, bytes, read].map((value) => (value === undefined ? '–' : number(value))),
      '',
    ]),
  ]);
}

type Sample = {
  readonly txs: number;
  readonly at: number;
  readonly indexer: number;
  readonly session: { readonly pid: number; readonly seconds: number };
  readonly server: number;
  readonly lsn: number;
};

/** Reads what the processes have used so far. The tables do not exist yet when the indexer starts. */
async function readSample(sql: Postgres, indexer: number): Promise<Sample> {
  const [row] = await sql.all<{ height: number; lsn: number; pid: number }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint AS lsn, pg_backend_pid() AS pid`,
    [],
  );
  const [progress] = await sql.all<{ height: number }>('SELECT height FROM progress', []).catch(() => []);
  const sessions = await sql.all<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name <> 'serac bench' AND backend_type = 'client backend'`,
    [],
  );
  const { lsn, pid } = row as { lsn: number; pid: number };
  return {
    txs: Math.max(0, (progress?.height ?? 0) - 1) * txsPerBlock,
    at: performance.now(),
    indexer: readCpuSeconds(indexer) ?? 0,
    // The indexer writes through one of them.
    session: sessions
      .map((one) => ({ pid: one.pid, seconds: readCpuSeconds(one.pid) ?? 0 }))
      .reduce((most, one) => (one.seconds > most.seconds ? one : most), { pid: 0, seconds: 0 }),
    server: readServerSeconds(parentOf(pid)),
    lsn,
  };
}

async function measure(sql: Postgres, before: Sample, now: Sample): Promise<CurvePoint> {
  const [size] = await sql.all<{ bytes: number }>('SELECT pg_database_size(current_database())::bigint AS bytes', []);
  const settings = await sql.all<{ name: string; value: string }>(
    `SELECT name, current_setting(name) AS value FROM unnest(ARRAY['shared_buffers', 'max_wal_size', 'wal_compression']) AS name`,
    [],
  );
  const count = now.txs - before.txs;
  const per = (seconds: number): number => Math.round((seconds * 1e7) / count) / 10;
  const isSameSession = now.session.pid === before.session.pid || before.session.pid === 0;
  return {
    date: new Date().toISOString().slice(0, 16),
    from: before.txs,
    txs: now.txs,
    indexer: per(now.indexer - before.indexer),
    ...(isSameSession ? { session: per(now.session.seconds - before.session.seconds) } : {}),
    server: per(now.server - before.server),
    rate: Math.round((count * 1000) / (now.at - before.at)),
    wal: Math.round((now.lsn - before.lsn) / count),
    bytes: Math.round((size?.bytes ?? Number.NaN) / now.txs),
    read: measureMemory(),
    settings: settings.map(({ name, value }) => `${name} ${value}`).join(', '),
  };
}

/** Follows a path through 64 MB that no cache of the processor predicts. */
function measureMemory(): number {
  const places = new Uint32Array(2 ** 24);
  // A full period: every place once, in an order that looks random (Hull and Dobell).
  for (let at = 0; at < places.length; at++) places[at] = (at * 1_140_671_485 + 12_820_163) % places.length;
  const before = process.cpuUsage();
  let at = 0;
  for (let step = 0; step < memoryReads; step++) at = places[at] as number;
  const { user, system } = process.cpuUsage(before);
  if (at < 0) throw new BenchError('no place');
  return Math.round(((user + system) * 10_000) / memoryReads) / 10;
}

const memoryReads = 1_000_000;

const statFields = (pid: number): readonly string[] =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');

const parentOf = (pid: number): number => Number(statFields(pid)[1]);

/** CPU time of a server and its processes, those that have ended included. */
function readServerSeconds(pid: number): number {
  const ended = statFields(pid).slice(13, 15).map(Number) as [number, number];
  return (readCpuSeconds(pid) ?? 0) + (ended[0] + ended[1]) / 100;
}

const nodePath = fileURLToPath(new URL('growing-node.ts', import.meta.url));
const historyPath = fileURLToPath(new URL('index-load.jsonl', import.meta.url));
