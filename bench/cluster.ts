import { join } from 'node:path';
import { openPostgres } from '../src/app/platform/bun/postgres.ts';
import { idText } from '../src/base/bytes/id.ts';
import { readPageSecret } from '../src/cluster/indexer/served-network-store.ts';
import { hasReplicatedServers, type ReplicatedDeployment, startReplicatedDeployment } from '../test/replicated-deployment.ts';
import { type ChainStore, openChainStore } from './chain-store.ts';
import { addressAt, createRandom } from './data-chain.ts';
import { type DataDir, prepareDataDir } from './data-dir.ts';
import { createDataRows, type DataRow } from './data-rows.ts';
import { BenchError } from './fault.ts';
import { formatXAddress } from './fixture.ts';
import type { LoadGenerator, Requests } from './load.ts';
import { fetchText, isSelected } from './measure.ts';
import type { Options } from './options.ts';
import { createPageTokenAdder } from './page-tokens.ts';
import { copyChain } from './postgres-chain.ts';
import { readCpuSeconds } from './process-usage.ts';
import { median } from './report.ts';
import type { BenchEnv } from './servers.ts';
import { formatTableSizes, readTableSizes } from './table-sizes.ts';
import { drawZipf } from './zipf.ts';

/**
 * Measures what docs/operate/sizing.md is computed from, on the deployment of test/replicated-deployment.ts: bytes and rows in PostgreSQL, CPU time per
 * request of an API server and of PostgreSQL beside that of a node, and how many requests of a Zipf load caches answer.
 */
export async function runCluster(env: BenchEnv, load: LoadGenerator, options: Options): Promise<void> {
  if (!hasReplicatedServers) throw new BenchError('PostgreSQL, PgBouncer and Redis must be installed');
  const made = await prepareDataDir(options.keep ?? join(env.dir, 'data'), options.txs ?? (options.quick ? 10_000 : 100_000), env.signal);
  const store = openChainStore(made.dir, 'read');
  const deployment = await startReplicatedDeployment({
    prepare: async (url) => {
      const sql = openPostgres({ url, statementMilliseconds: 60_000 });
      await copyChain(sql, store, made).finally(() => sql.close());
    },
    nodeFlags: [`--data-dir=${made.dir}`, '--network-id=local', '--workers=0'],
    settings: ['shared_buffers = 256MB', 'max_wal_size = 2GB'],
    // On a busy machine a statement may wait for seconds, which is no failure of the bench.
    apiFlags: ['--database-timeout=30s'],
  });
  try {
    for (const { port } of deployment.apis) await waitForBlock(port, made.blocks, env.signal);
    console.log(`${made.txs} transactions in ${made.blocks} blocks\n`);
    await printSizes(deployment, made);
    const rows = (secret: Uint8Array) => rowsOf(store, made, secret, options);
    await printCpu(deployment, load, options, { nodeSecret: store.pageSecret(), rows });
    await printCacheHits(deployment, load, made);
  } finally {
    await deployment.close();
    store.close();
  }
}

async function waitForBlock(port: number, height: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    const text = await fetchText(port, { path: `${chainPath}/blocks?pageSize=1` }).catch(() => '{}');
    const { blocks } = JSON.parse(text) as { blocks?: readonly { readonly blockNumber: string }[] };
    if (Number(blocks?.[0]?.blockNumber ?? 0) >= height) return;
    if (signal.aborted) throw new BenchError('stopped');
    await Bun.sleep(200);
  }
}

const chainPath = '/v1/networks/local/blockchains/x-chain';

const openPrimary = ({ primary }: ReplicatedDeployment) =>
  openPostgres({ url: `postgres://serac_indexer@127.0.0.1:${primary.port}/serac`, max: 1, statementMilliseconds: 60_000 });

async function printSizes(deployment: ReplicatedDeployment, { txs }: DataDir): Promise<void> {
  const sql = openPrimary(deployment);
  try {
    console.log(`${formatTableSizes(await readTableSizes(sql), txs)}\n`);
  } finally {
    await sql.close();
  }
}

async function rowsOf(store: ChainStore, made: DataDir, secret: Uint8Array, options: Options): Promise<DataRow[]> {
  const { history } = store;
  if (history === undefined) throw new BenchError('the history index is disabled');
  const known = { made, history, pin: await history.tip() };
  const rows = await createDataRows({ ...known, addPageToken: createPageTokenAdder(secret) });
  // The calls of avg_tps differ in the height of their page token, which this chain does not have.
  return rows.filter(({ name, list }) => name !== 'avg_tps' && (list === undefined || list.page === 'any') && isSelected(name, options));
}

/** A server and the processes whose CPU time its requests cost. */
type Side = {
  readonly port: number;
  readonly pids: () => { readonly [process: string]: readonly number[] };
  readonly rows: readonly DataRow[];
};

async function printCpu(
  deployment: ReplicatedDeployment,
  load: LoadGenerator,
  options: Options,
  { nodeSecret, rows }: { readonly nodeSecret: Uint8Array; readonly rows: (secret: Uint8Array) => Promise<DataRow[]> },
): Promise<void> {
  const {
    node,
    apis: [, api],
    primary,
    replica,
  } = deployment;
  const sql = openPrimary(deployment);
  const secret = await readPageSecret(sql).finally(() => sql.close());
  const servers: { readonly [S in 'node' | 'api']: Side } = {
    node: { port: node.port, pids: () => ({ server: [node.pid] }), rows: await rows(nodeSecret) },
    api: { port: api.port, pids: () => ({ server: [api.pid], postgres: [primary.pid(), replica.pid()] }), rows: await rows(secret) },
  };
  console.log('| request, in no cache | requests | node | `serac api` | ratio | PostgreSQL |\n|---|---|---|---|---|---|');
  for (const [i, { name }] of servers.node.rows.entries()) {
    const found: CpuRound[] = [];
    // In turns: the load of the machine changes within seconds. The first round is not counted: code is compiled in it, and statements are planned.
    for (let round = 0; round <= options.rounds; round++) {
      const cost = ({ rows: all, ...side }: Side) => measureCpu(side, load, options, all[i] as DataRow, round);
      const [embedded, served] = [await cost(servers.node), await cost(servers.api)];
      if (round > 0)
        found.push({
          requests: served.requests,
          node: embedded.micros.server,
          api: served.micros.server,
          postgres: served.micros.postgres,
        });
    }
    const micros = (part: 'node' | 'api' | 'postgres') =>
      formatSpread(
        found.map((round) => round[part] ?? Number.NaN),
        0,
        ' µs',
      );
    const ratio = formatSpread(
      found.map(({ node, api }) => (api ?? Number.NaN) / (node ?? Number.NaN)),
      2,
      '',
    );
    const requests = found.reduce((sum, round) => sum + round.requests, 0);
    console.log(`| ${name} | ${requests} | ${micros('node')} | ${micros('api')} | ${ratio} | ${micros('postgres')} |`);
  }
  console.log('');
}

/** Microseconds of CPU time per request of one round. CPU times are counted in hundredths of a second: few requests say little. */
type CpuRound = { readonly requests: number } & { readonly [S in 'node' | 'api' | 'postgres']: number | undefined };

/** The median, and the lowest and highest value. */
const formatSpread = (values: readonly number[], digits: number, unit: string): string =>
  `${median(values).toFixed(digits)}${unit} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`;

/** Microseconds of CPU time per request of one round, by process. */
async function measureCpu(
  { port, pids }: Omit<Side, 'rows'>,
  load: LoadGenerator,
  { seconds, rounds }: Options,
  row: DataRow,
  round: number,
): Promise<{ readonly requests: number; readonly micros: Readonly<Record<string, number>> }> {
  // Every round has calls of its own, and none is sent twice: caches have the answers to all that were sent.
  const count = Math.min(Math.floor(row.cold.count / (rounds + 1)), maxCalls);
  const calls = Array.from({ length: count }, (_, n) => row.cold.call(round * count + n));
  const readCpu = () =>
    Object.entries(pids()).map(([name, all]) => [name, all.reduce((sum, pid) => sum + (readCpuSeconds(pid) ?? 0), 0)] as const);
  const before = new Map(readCpu());
  const { responses, errors, firstError } = await load.sendOnce({ port, calls, seconds, connections });
  if (errors > 0) throw new BenchError(`${errors} of ${responses} responses failed: ${firstError}`);
  const micros = Object.fromEntries(readCpu().map(([name, after]) => [name, ((after - (before.get(name) ?? 0)) * 1e6) / responses]));
  return { requests: responses, micros };
}

const connections = 8;

/** Different calls of a round: more than are answered in it. */
const maxCalls = 5000;

/** Sends a Zipf load to both API servers. Every request that is not in the cache of its server is looked up in Redis, which counts. */
async function printCacheHits({ apis, redis }: ReplicatedDeployment, load: LoadGenerator, made: DataDir): Promise<void> {
  const subjects = (path: (address: string) => string) =>
    Array.from({ length: made.addresses }, (_, i) => path(formatXAddress(addressAt(i))));
  const paths = [
    ...made.txIDs.slice(0, maxSubjects).map((id) => `/transactions/${idText(id)}`),
    ...[
      (one: string) => `/balances?addresses=${one}`,
      (one: string) => `/utxos?addresses=${one}`,
      (one: string) => `/transactions?addresses=${one}`,
    ].flatMap((path) => subjects(path).slice(0, maxSubjects)),
  ];
  const random = createRandom(7);
  const places = paths.map((path) => ({ path: `${chainPath}${path}`, at: random() })).sort((a, b) => a.at - b.at);
  console.log('| requests of the Zipf load | in the cache of the server | in Redis | read from PostgreSQL |\n|---|---|---|---|');
  for (const count of [10_000, 20_000]) {
    const before = await readRedis(redis.url);
    const drawn: Requests = drawZipf(places.length, count, random).map((n) => ({ path: (places[n] as { path: string }).path }));
    const halves = apis.map(({ port }, i) => ({ port, calls: drawn.filter((_, n) => n % apis.length === i) }));
    for (const result of await Promise.all(halves.map(load.sendOnce)))
      if (result.errors > 0) throw new BenchError(`${result.errors} responses failed: ${result.firstError}`);
    const after = await readRedis(redis.url);
    const [hits, misses] = [after.hits - before.hits, after.misses - before.misses];
    const percent = (value: number) => `${((100 * value) / count).toFixed(1)} %`;
    console.log(`| ${count} over ${places.length} answers | ${percent(count - hits - misses)} | ${percent(hits)} | ${percent(misses)} |`);
  }
}

/** Answers of each kind that the Zipf load asks for. */
const maxSubjects = 5000;

async function readRedis(url: string): Promise<{ readonly hits: number; readonly misses: number }> {
  const client = new Bun.RedisClient(url);
  try {
    const text = String(await client.send('INFO', ['stats']));
    const counter = (name: string) => Number(new RegExp(`${name}:(\\d+)`).exec(text)?.[1] ?? 0);
    return { hits: counter('keyspace_hits'), misses: counter('keyspace_misses') };
  } finally {
    client.close();
  }
}
