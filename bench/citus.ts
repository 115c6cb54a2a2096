import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPostgres } from '../src/app/platform/bun/postgres.ts';
import { addressFromBytes } from '../src/base/bytes/address.ts';
import { toHex } from '../src/base/bytes/hex.ts';
import { type Id, idText } from '../src/base/bytes/id.ts';
import type { Postgres } from '../src/cluster/postgres/postgres.ts';
import { BenchError } from './fault.ts';
import { formatXAddress } from './fixture.ts';
import { createChain, txsPerBlock } from './index-load.ts';
import type { LoadGenerator } from './load.ts';
import { isSelected } from './measure.ts';
import type { Options } from './options.ts';
import { readCpuSeconds } from './process-usage.ts';
import { alignColumns, median } from './report.ts';
import { type BenchEnv, type BenchServer, indexerCommand, serac, seracApi } from './servers.ts';

/**
 * Measures an index that is divided over the servers of Citus clusters beside an undivided one: CPU time of all processes of PostgreSQL and of Serac for each
 * transaction that is loaded and for each answer, and bytes. All servers must be on this machine. They take turns.
 */
export async function runCitus(env: BenchEnv, load: LoadGenerator, options: Options): Promise<void> {
  if (options.postgres === undefined || options.citus.length === 0)
    throw new BenchError('--citus needs --postgres URL and --citus-url URL');
  const txs = options.txs ?? (options.quick ? 10_000 : 50_000);
  const dir = options.keep ?? join(env.dir, 'chain');
  if (!existsSync(join(dir, 'db'))) createChain(dir, txs);
  const layouts: Layout[] = [await openLayout(options.postgres, []), ...(await openAll(options.citus))];
  try {
    const node = await serac(env, dir, ['--workers=0']).start();
    for (let round = 0; round < options.rounds; round++)
      for (const layout of layouts) {
        await measureLoading(env, node, layout, txs);
        const micros = layout.figures.get(`${loading}, PostgreSQL`)?.at(-1);
        console.error(`  ${loading}, ${layout.name}, ${round + 1} of ${options.rounds}: ${Math.round(micros as number)} µs`);
      }
    await node.stop();
    for (const layout of layouts) layout.figures.set('bytes per transaction', [(await countBytes(layout)) / txs]);
    await measureAnswers(env, load, layouts, options);
  } finally {
    for (const layout of layouts) await layout.close();
  }
  console.log(formatFigures(layouts));
}

/** Where the index is: an undivided database, or a cluster. */
type Layout = {
  readonly name: string;
  /** Of a schema of this run. */
  readonly url: string;
  readonly admin: Postgres;
  readonly schema: string;
  readonly flags: readonly string[];
  /** CPU seconds of all processes of all its servers. */
  readonly cpuSeconds: () => number;
  /** The figures of all rounds, by name. */
  readonly figures: Map<string, number[]>;
  readonly close: () => Promise<void>;
};

const openAll = (urls: readonly string[]): Promise<Layout[]> => Promise.all(urls.map((url) => openLayout(url, ['--distribute'])));

async function openLayout(server: string, flags: readonly string[]): Promise<Layout> {
  const admin = openPostgres({ url: server, max: 1, statementMilliseconds: 120_000 });
  const schema = `serac_bench_${process.pid}`;
  const isCluster = flags.length > 0;
  const workers = isCluster
    ? await admin.all<{ name: string; port: number }>('SELECT nodename AS name, nodeport AS port FROM pg_dist_node WHERE groupid <> 0', [])
    : [];
  const urls = [
    server,
    ...workers.map(({ name, port }) => {
      const url = new URL(server);
      [url.hostname, url.port] = [name, String(port)];
      return url.href;
    }),
  ];
  const postmasters = await Promise.all(urls.map(findPostmaster));
  return {
    name: isCluster ? `Citus, ${workers.length === 1 ? '1 worker' : `${workers.length} workers`}` : 'PostgreSQL',
    url: `${server}?schema=${schema}`,
    admin,
    schema,
    flags,
    cpuSeconds: () => postmasters.reduce((sum, pid) => sum + (readCpuSeconds(pid) ?? 0) + readEndedSeconds(pid), 0),
    figures: new Map(),
    close: async () => {
      await admin.all(`DROP SCHEMA IF EXISTS ${schema} CASCADE`, []);
      await admin.close();
    },
  };
}

/** The main process of a server on this machine: the parent of its sessions. */
async function findPostmaster(url: string): Promise<number> {
  const sql = openPostgres({ url, max: 1 });
  try {
    const [row] = await sql.all<{ pid: number }>('SELECT pg_backend_pid() AS pid', []);
    return Number(statFields(row?.pid as number)[1]);
  } finally {
    await sql.close();
  }
}

/** The fields of a process after its name: state, parent, … */
const statFields = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');

/** CPU seconds of the sessions that have ended. */
const readEndedSeconds = (pid: number): number => (Number(statFields(pid)[13]) + Number(statFields(pid)[14])) / 100;

const addFigure = ({ figures }: Layout, name: string, value: number): void => {
  figures.set(name, [...(figures.get(name) ?? []), value]);
};

/** Loads the chain into an empty schema. What it takes until block 0 is stored, the creation of the tables, is not counted. */
async function measureLoading(env: BenchEnv, node: BenchServer, layout: Layout, txs: number): Promise<void> {
  const { admin, schema, url, flags } = layout;
  await admin.all(`DROP SCHEMA IF EXISTS ${schema} CASCADE`, []);
  await admin.all(`CREATE SCHEMA ${schema}`, []);
  const target = [`http://127.0.0.1:${node.port}`, `--database-url=${url}`, '--network-id=local', '--trust-node', '--silent'];
  // Another program may use the processors for seconds.
  const child = Bun.spawn([...indexerCommand(env), ...target, '--database-timeout=60s', ...flags], {
    stdout: 'ignore',
    stderr: 'inherit',
    signal: env.signal,
  });
  const readProgress = async (): Promise<number> => {
    const [row] = await admin
      .all<{ height: number | null }>(`SELECT max(height) AS height FROM ${schema}.progress`, [])
      .catch(() => [{ height: null }]);
    if (child.exitCode !== null) throw new BenchError('serac index exited');
    return row?.height ?? -1;
  };
  const readCpu = () => [layout.cpuSeconds(), readCpuSeconds(child.pid) ?? 0] as const;
  try {
    while ((await readProgress()) < 0) await Bun.sleep(20);
    const [database, indexer] = readCpu();
    const first = await readProgress();
    while ((await readProgress()) < 1 + Math.ceil(txs / txsPerBlock)) await Bun.sleep(100);
    const [databaseAfter, indexerAfter] = readCpu();
    const micros = 1e6 / (txs - first * txsPerBlock);
    addFigure(layout, `${loading}, PostgreSQL`, (databaseAfter - database) * micros);
    addFigure(layout, `${loading}, indexer`, (indexerAfter - indexer) * micros);
  } finally {
    child.kill('SIGTERM');
    await child.exited;
  }
}

const loading = 'loading a transaction';

/** Bytes of the tables of the schema with their indexes, on all servers. */
async function countBytes({ admin, schema, flags }: Layout): Promise<number> {
  const local = `SELECT CAST(coalesce(sum(pg_total_relation_size(c.oid)), 0) AS bigint) AS bytes FROM pg_class c
    WHERE c.relkind = 'r' AND c.relnamespace = CAST('${schema}' AS regnamespace)`;
  const divided = `SELECT CAST(coalesce(sum(citus_total_relation_size(logicalrelid)), 0) AS bigint) AS bytes FROM pg_dist_partition
    JOIN pg_class c ON c.oid = logicalrelid WHERE c.relnamespace = CAST('${schema}' AS regnamespace)`;
  const found = await Promise.all((flags.length > 0 ? [local, divided] : [local]).map((text) => admin.all<{ bytes: number }>(text, [])));
  return found.flat().reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Sends requests that are in no cache to a `serac api` of each layout. */
async function measureAnswers(env: BenchEnv, load: LoadGenerator, layouts: readonly Layout[], options: Options): Promise<void> {
  const kinds = (await listRequests(layouts[0] as Layout)).filter(({ name }) => isSelected(name, options));
  if (kinds.length === 0) return;
  const servers = await Promise.all(layouts.map(({ url }) => seracApi(env, url).start()));
  try {
    for (const { name, paths } of kinds)
      for (const [i, from] of requestRanges.entries())
        for (const [at, layout] of layouts.entries()) {
          const to = requestRanges[i + 1] ?? paths.length;
          const { port, pid } = servers[at] as BenchServer;
          const calls = paths.slice(from, to).map((path) => ({ path }));
          if (calls.length === 0) continue;
          const before = [layout.cpuSeconds(), readCpuSeconds(pid) ?? 0] as const;
          const { responses, errors, firstError } = await load.sendOnce({ port, calls, connections: 1 });
          if (errors > 0) throw new BenchError(`${errors} of ${responses} responses failed: ${firstError}`);
          const range = `${name}, ${from + 1} to ${from + calls.length}`;
          const micros = ((layout.cpuSeconds() - before[0]) * 1e6) / responses;
          addFigure(layout, `${range}, PostgreSQL`, micros);
          console.error(`  ${range}, ${layout.name}: ${Math.round(micros)} µs`);
          addFigure(layout, `${range}, serac api`, (((readCpuSeconds(pid) ?? 0) - before[1]) * 1e6) / responses);
        }
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function listRequests({ admin, schema }: Layout): Promise<readonly { readonly name: string; readonly paths: readonly string[] }[]> {
  const ids = await admin.all<{ id: Uint8Array }>(`SELECT id FROM ${schema}.c1_tx ORDER BY id LIMIT ${requestsOfKind}`, []);
  const found = await admin.all<{ address: Uint8Array }>(
    `SELECT address FROM ${schema}.c1_holder ORDER BY address LIMIT ${requestsOfKind}`,
    [],
  );
  const addresses = found.map(({ address }) => formatXAddress(addressFromBytes(address)));
  return [
    { name: 'transaction by ID', paths: ids.map(({ id }) => `${chainPath}/transactions/${idText(toHex(id) as Id)}`) },
    ...['balances', 'utxos', 'transactions'].map((list) => ({
      name: `${list} of an address`,
      // Another page size is another request, which is in no cache.
      paths: pageSizes
        .flatMap((size) => addresses.map((address) => `${chainPath}/${list}?addresses=${address}&pageSize=${size}`))
        .slice(0, requestsOfKind),
    })),
  ];
}

const chainPath = '/v1/networks/local/blockchains/x-chain';

/** Different requests of each kind, in the order in which they are sent. */
const requestsOfKind = 4000;
const pageSizes = [100, 90];

/** Numbers of the requests at which a range begins that is measured apart, which shows whether the first requests of a session cost more. */
const requestRanges = [0, 400, 2000];

/** Medians of the rounds; beside those of Citus, how many times that of PostgreSQL. */
function formatFigures(layouts: readonly Layout[]): string {
  const [plain] = layouts as [Layout];
  const of = ({ figures }: Layout, name: string): number => median(figures.get(name) ?? []);
  return alignColumns([
    ['µs of CPU time, or bytes', ...layouts.map(({ name }) => name), ''],
    ...[...plain.figures.keys()].map((name) => [
      name,
      ...layouts.map(
        (layout) => `${Math.round(of(layout, name))}${layout === plain ? '' : ` (${(of(layout, name) / of(plain, name)).toFixed(2)}x)`}`,
      ),
      '',
    ]),
  ]);
}
