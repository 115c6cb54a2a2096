import { expect } from 'bun:test';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../src/app/platform/bun/database.ts';
import { openPostgres } from '../../src/app/platform/bun/postgres.ts';
import { toHex } from '../../src/base/bytes/hex.ts';
import { runOnPostgres } from '../../src/ledger/index/query-runner.ts';
import { tablesOf } from '../../src/ledger/state/schema.ts';
import type { Database } from '../../src/ledger/store/database.ts';
import { chainRoot } from '../data-requests.ts';
import { databaseProblems, localIndex } from '../database-check.ts';
import type { Client } from '../http.ts';
import { checkIndex } from '../index-check/check-index.ts';
import { cChain, openLocalChain } from '../local-chain.ts';
import { expectSameChains, isBootstrapped, nodeIDOf } from '../network-nodes.ts';
import { eventually, freePort, processesMatching } from '../processes.ts';
import { type Indexer, type Program, programCommand, startIndexer, startProgram } from '../program.ts';
import { openServers } from '../servers.ts';
import { readHistory, stateHash, unspentOutputs } from '../state-audit.ts';
import { expectRunning } from './disconnect.ts';
import type { KillSetup, Seen, Serving, SetupOptions } from './kill-setup.ts';

/** A node alone. */
export function soloSetup({ folder }: SetupOptions): KillSetup {
  const dataDir = join(folder, 'solo');
  const node = createVictim(`--data-dir=${dataDir}`, '--accounts=0');
  return {
    start: async () => {
      const { client, port } = await node.start();
      return { port, issuePorts: [port], dev: client, isAccepted: hasStatusAccepted, kill: node.kill };
    },
    killWhileStarting: node.killWhileStarting,
    findProblems: async (seen, deep) =>
      readCopy(dataDir, (db) => [...fileProblems(db, seen), ...(deep && replayHash(db, seen) !== stateHash(db) ? ['replay differs'] : [])]),
    streams: [node.port],
    canLosePending: true,
    maxAnswers: 120,
    invalidPercent: 15,
    finish: async (seen) => finishNode(node, dataDir, seen),
    close: async () => node.kill(undefined),
  };
}

/** A follower of a node that is not killed. */
export async function followSetup({ folder }: SetupOptions): Promise<KillSetup> {
  const source = await startProgram('--workers=0');
  const dataDir = join(folder, 'follow');
  const follower = createVictim('follow', source.url, `--data-dir=${dataDir}`);
  return {
    start: async () => {
      const { port } = await follower.start();
      // Transactions go through the follower and to its node.
      return { port, issuePorts: [port, source.port], dev: source.client, isAccepted: hasStatusAccepted, kill: follower.kill };
    },
    killWhileStarting: follower.killWhileStarting,
    findProblems: async (seen) => readCopy(dataDir, (db) => fileProblems(db, seen)),
    streams: [follower.port],
    canLosePending: false,
    maxAnswers: 60,
    invalidPercent: 0,
    finish: async (seen) => finishNode(follower, dataDir, seen),
    close: async () => {
      await follower.kill(undefined);
      await source.stop('SIGKILL');
    },
  };
}

/** Two nodes of a network; either one is killed. */
export async function joinSetup({ folder, random }: SetupOptions): Promise<KillSetup> {
  const ports = [freePort(), freePort()];
  const ids: string[] = [];
  const dirs = ports.map((_, i) => join(folder, `join-${i}`));
  const open = ['join', '--sybil-protection-enabled=false', '--staking-host=127.0.0.1', '--min-block-delay=0s'];
  const flagsOf = (i: number): string[] => {
    const other = 1 - i;
    const beacon = ids[other] === undefined ? [] : [`--bootstrap-ips=127.0.0.1:${ports[other]}`, `--bootstrap-ids=${ids[other]}`];
    return [...open, `--staking-port=${ports[i]}`, `--data-dir=${dirs[i]}`, ...beacon];
  };
  const nodes = dirs.map((_, i) => createVictim(() => flagsOf(i)));
  const networkNodes = () => nodes.map((node, i) => ({ name: `node ${i}`, client: node.program().client }));
  let victim = 0;
  const victimNode = () => nodes[victim] as Victim;
  return {
    start: async () => {
      for (const [i, node] of nodes.entries())
        if (node.port() === undefined) {
          const { client } = await node.start();
          ids[i] = await nodeIDOf({ name: `node ${i}`, client });
        }
      for (const node of networkNodes()) await eventually(() => isBootstrapped(node), Boolean, patience);
      victim = random.below(2);
      const issuePorts = nodes.map((node) => node.port() as number);
      return { port: victimNode().port() as number, issuePorts, dev: undefined, isAccepted: hasStatusAccepted, kill: victimNode().kill };
    },
    killWhileStarting: (milliseconds) => (ids.length < 2 ? Promise.resolve() : victimNode().killWhileStarting(milliseconds)),
    findProblems: async (seen) => readCopy(dirs[victim] as string, (db) => fileProblems(db, seen)),
    streams: nodes.map(({ port }) => port),
    canLosePending: false,
    maxAnswers: 60,
    invalidPercent: 0,
    finish: async (seen) => {
      await expectSameChains(networkNodes(), patience);
      for (const [i, node] of nodes.entries()) await finishNode(node, dirs[i] as string, seen);
    },
    close: async () => void (await Promise.all(nodes.map((node) => node.kill(undefined)))),
  };
}

/** The index of a node on PostgreSQL, and its API server; either one is killed. */
export async function postgresSetup({ random }: SetupOptions): Promise<KillSetup> {
  const servers = await openServers('kills');
  const source = await startProgram('--workers=0');
  const flag = `--database-url=${servers.database}`;
  const api = createVictim('api', flag);
  let indexer: Indexer | undefined;
  let isApi = false;
  const startIndex = (): Indexer => {
    indexer ??= startIndexer(source.url, flag, '--network-id=local');
    return indexer;
  };
  const killIndexer = async (after: number | undefined): Promise<void> => {
    const killed = indexer;
    indexer = undefined;
    await killed?.stop(await terminateFirst(killed.pid, after));
  };
  /** A server that is not ready, or whose statement took too long, says neither: it is asked again. */
  const isIndexed = async (client: Client, txID: string): Promise<boolean> => {
    const ask = async () => (await client.send('GET', `${chainRoot}/transactions/${txID}`)).status;
    return (await eventually(ask, (status) => status === 200 || status === 404, patience)) === 200;
  };
  return {
    start: async () => {
      startIndex();
      const { client, port } = api.port() === undefined ? await api.start() : api.program();
      await eventually(
        async () => (await client.send('GET', `${chainRoot}/blocks?pageSize=1`)).status,
        (status) => status === 200,
        patience,
      );
      isApi = random.below(4) === 0;
      return { port, issuePorts: [source.port], dev: source.client, isAccepted: isIndexed, kill: isApi ? api.kill : killIndexer };
    },
    killWhileStarting: async (milliseconds) => {
      if (isApi) return api.killWhileStarting(milliseconds);
      startIndex();
      await Bun.sleep(milliseconds);
      await killIndexer(undefined);
    },
    findProblems: async () => {
      // If the API server was killed, the indexer still writes, and the check reads one table after the other.
      await killIndexer(undefined);
      const sql = openPostgres({ url: servers.database, max: 1, statementMilliseconds: 60_000 });
      try {
        return await runOnPostgres(sql, checkIndex([localIndex], 'postgres'));
      } finally {
        await sql.close();
      }
    },
    streams: [api.port],
    canLosePending: false,
    maxAnswers: 40,
    invalidPercent: 0,
    finish: async () => {
      expect(await indexer?.stop()).toBe(0);
      indexer = undefined;
      expect(await api.stop()).toBe(0);
    },
    close: async () => {
      await killIndexer(undefined);
      await api.kill(undefined);
      await source.stop('SIGKILL');
      await servers.close();
    },
  };
}

/** Milliseconds for a start, on a slow machine. */
const patience = 120_000;

export const hasStatusAccepted: Serving['isAccepted'] = async (client, txID) => {
  const { result, error } = await client.call('/ext/bc/X', 'avm.getTxStatus', { txID });
  expectRunning(error);
  if (error !== undefined) throw new Error(error.message);
  return (result as unknown as { status: string }).status === 'Accepted';
};

type Victim = ReturnType<typeof createVictim>;

/** A process that is killed and started again, each time on another port. */
function createVictim(...args: readonly string[] | [() => readonly string[]]) {
  const flags = (): readonly string[] => (typeof args[0] === 'function' ? args[0]() : (args as readonly string[]));
  let program: Program | undefined;
  const take = (): Program | undefined => {
    const taken = program;
    program = undefined;
    return taken;
  };
  return {
    port: () => program?.port,
    program: () => program as Program,
    start: async (): Promise<Program> => {
      program = await startProgram(...flags());
      return program;
    },
    stop: async () => take()?.stop(),
    kill: async (after: number | undefined): Promise<void> => {
      const killed = take();
      await killed?.stop(await terminateFirst(killed.pid, after));
    },
    /** Kills it while it creates keys, tables or genesis, or replays the write-ahead log. */
    killWhileStarting: async (milliseconds: number): Promise<void> => {
      const child = Bun.spawn([...programCommand, ...flags(), '--http-port=0', '--silent'], { stdout: 'ignore', stderr: 'ignore' });
      await Bun.sleep(milliseconds);
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

/** Sends SIGTERM some milliseconds before the kill, if they are given. */
async function terminateFirst(pid: number, after: number | undefined): Promise<'SIGKILL'> {
  if (after !== undefined) {
    process.kill(pid, 'SIGTERM');
    await Bun.sleep(after);
  }
  return 'SIGKILL';
}

/** Stops a node in order; then its file has exactly the expected outputs, and no process of it runs. */
async function finishNode(node: Victim, dataDir: string, seen: Seen): Promise<void> {
  expect(await node.stop()).toBe(0);
  expect(await readCopy(dataDir, (db) => [...fileProblems(db, seen), ...databaseProblems(db)])).toEqual([]);
  expect(readCopy(dataDir, (db) => unspentOutputs(db).map(({ id }) => id as string)).sort()).toEqual([...seen.unspent()]);
  expect(await eventually(() => processesMatching(dataDir), isEmpty)).toEqual([]);
}

/** Reads a copy of a database, because opening the file itself would recover it before the node does. */
function readCopy<T>(dataDir: string, read: (db: Database) => T): T {
  const copy = `${dataDir}-copy`;
  rmSync(copy, { recursive: true, force: true });
  // The WAL files of keys and webhooks disappear when the last process that reads them exits.
  cpSync(join(dataDir, 'db'), copy, { recursive: true, filter: (path) => !/(keys|webhooks)\.sqlite/.test(path) });
  const db = openDatabase(join(copy, 'serac.sqlite'), { readonly: false });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

/** State and index against the blocks, and the transactions that were seen as accepted. */
function fileProblems(db: Database, { accepted }: Seen): string[] {
  const { tx } = tablesOf(1);
  const rows = db.prepare<{ id: Uint8Array }>(`SELECT id FROM ${tx}`).all();
  const stored = new Set(rows.map(({ id }) => toHex(id)));
  const lost = [...accepted].filter((id) => !stored.has(id));
  return [...databaseProblems(db), ...lost.map((id) => `${id} was accepted and is lost`)];
}

/** The state hash of a fresh chain after it has executed every block. */
function replayHash(db: Database, { deposits }: Seen): string {
  let clock = 0n;
  const fresh = openLocalChain({ now: () => clock });
  for (const utxo of deposits) fresh.deposit(cChain, utxo);
  for (const bytes of readHistory(db).blocks.slice(1)) {
    const block = fresh.chain.parse(bytes);
    clock = block.time;
    fresh.chain.verify(block);
    fresh.chain.accept([block.id]);
  }
  const hash = stateHash(fresh.store.db);
  fresh.close();
  return hash;
}

const isEmpty = (list: readonly unknown[]): boolean => list.length === 0;
