import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openPostgres } from '../src/app/platform/bun/postgres.ts';
import type { Postgres } from '../src/cluster/postgres/postgres.ts';
import { openChainStore } from './chain-store.ts';
import { BenchError } from './fault.ts';
import type { Options } from './options.ts';
import { readCpuSeconds } from './process-usage.ts';
import { type BenchEnv, type BenchServer, indexerCommand, serac } from './servers.ts';
import { readThreadTimes } from './thread-usage.ts';
import { formatThreads, type Round } from './threads.ts';
import { createTransferGenerator, growTransferChain } from './transfer-chain.ts';

/**
 * Measures what a transaction costs while `serac index` catches up with a local node: CPU time of its threads, of PostgreSQL and of the node. The
 * transactions are valid transfers with one input between many addresses.
 */
export async function runIndexLoad(env: BenchEnv, options: Options): Promise<void> {
  if (options.postgres === undefined) throw new BenchError('--index-load needs --postgres URL');
  const txs = options.txs ?? (options.quick ? 10_000 : 40_000);
  const dir = options.keep ?? join(env.dir, 'chain');
  if (!existsSync(join(dir, 'db'))) createChain(dir, txs);
  const node = await serac(env, dir, ['--workers=0']).start();
  const ways = loadFlags.map((flags) => ({ name: ['serac index', ...flags].join(' '), flags, rounds: [] as Round[] }));
  for (let round = 0; round < options.rounds; round++)
    for (const { name, flags, rounds } of ways) {
      rounds.push(await measureLoad(env, node, { server: options.postgres, txs, flags }));
      console.error(`  ${name}: ${round + 1} of ${options.rounds}`);
    }
  await node.stop();
  console.log(formatThreads(ways));
}

/** The ways to load that are compared. */
const loadFlags: readonly (readonly string[])[] = [[], ['--trust-node']];

export function createChain(dir: string, txs: number): void {
  console.error(`creating a chain of ${txs.toLocaleString('en')} transactions`);
  mkdirSync(dir, { recursive: true });
  const chain = openChainStore(dir, 'write', { skipDiskSync: true });
  const generator = createTransferGenerator({ addresses: Math.max(1000, Math.floor(txs / 10)), spends: 'random' });
  // The first block has one transaction, which gives the first senders their outputs.
  growTransferChain(chain, 1 + Math.ceil(txs / txsPerBlock), generator, txsPerBlock);
  chain.close();
}

export const txsPerBlock = 40;

type Load = { readonly server: string; readonly txs: number; readonly flags: readonly string[] };

async function measureLoad(env: BenchEnv, node: BenchServer, { server, txs, flags }: Load): Promise<Round> {
  const blocks = 1 + Math.ceil(txs / txsPerBlock);
  const admin = openPostgres({ url: server, max: 1, statementMilliseconds: 60_000 });
  const name = `serac_bench_load_${process.pid}`;
  await admin.all(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`, []);
  await admin.all(`CREATE DATABASE ${name}`, []);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const cpuOf = (pid: number) => ((readCpuSeconds(pid) ?? 0) * 1e6) / txs;
  const nodeBefore = cpuOf(node.pid);
  const command = [...indexerCommand(env), `http://127.0.0.1:${node.port}`, `--database-url=${url.href}`, '--network-id=local', '--silent'];
  const started = performance.now();
  const child = Bun.spawn([...command, ...flags], { stdout: 'ignore', stderr: 'inherit', signal: env.signal });
  try {
    const sessions = await waitForHeight(url.href, blocks, () => child.exitCode === null);
    const seconds = (performance.now() - started) / 1000;
    const used = [...readThreadTimes(child.pid)].map(([thread, micros]) => [thread.replace('writer', 'indexer'), micros / txs] as const);
    const [indexer, database] = [cpuOf(child.pid), Math.max(...sessions.map(cpuOf))];
    const served = cpuOf(node.pid) - nodeBefore;
    return new Map([
      ...used,
      ['indexer, all threads', indexer],
      ['PostgreSQL, the session of the indexer', database],
      ['node', served],
      ['sum of indexer, PostgreSQL and node', indexer + database + served],
      ['transactions per second', txs / seconds],
    ]);
  } finally {
    child.kill('SIGTERM');
    await child.exited;
    await admin.all(`DROP DATABASE ${name} WITH (FORCE)`, []);
    await admin.close();
  }
}

/** Waits until a block is stored. Returns the processes of all sessions of the database; the indexer writes through one of them. */
async function waitForHeight(url: string, height: number, isRunning: () => boolean): Promise<readonly number[]> {
  const sql = openPostgres({ url, max: 1, statementMilliseconds: 60_000 });
  try {
    while ((await readHeight(sql)) < height) {
      if (!isRunning()) throw new BenchError('serac index exited');
      await Bun.sleep(50);
    }
    const sessions = await sql.all<{ pid: number }>('SELECT pid FROM pg_stat_activity WHERE datname = current_database()', []);
    return sessions.map(({ pid }) => pid);
  } finally {
    await sql.close();
  }
}

/** The tables do not exist yet when the indexer starts. */
const readHeight = async (sql: Postgres): Promise<number> => {
  const [row] = await sql.all<{ height: number | null }>('SELECT max(height) AS height FROM c1_block', []).catch(() => [{ height: null }]);
  return row?.height ?? -1;
};
