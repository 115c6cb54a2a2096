import { existsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../src/app/config/config.ts';
import { dataFilesIn } from '../../src/app/node/data-files.ts';
import { soloStore } from '../../src/app/node/node-store.ts';
import type { Env } from '../../src/app/platform/env.ts';
import { createEnv } from '../../src/app/platform/runtime-env.ts';
import { runDevChain } from '../../src/app/programs/dev-chain.ts';
import type { Node } from '../../src/app/servers/node-server.ts';
import { parseBlock } from '../../src/avm/tx/block.ts';
import { parseHex } from '../../src/base/bytes/hex.ts';
import { idText } from '../../src/base/bytes/id.ts';
import { recoverNative } from '../../src/base/crypto/curve-native.ts';
import { recoverBatch } from '../../src/base/crypto/recovery-batch.ts';
import { createLog } from '../../src/base/log/log.ts';
import { backUp } from '../../src/cli/commands/backup.ts';
import { check } from '../../src/cli/commands/check.ts';
import { compact } from '../../src/cli/commands/compact.ts';
import { reindex } from '../../src/cli/commands/reindex.ts';
import type { Database, OpenDatabase, Statement } from '../../src/ledger/store/database.ts';
import { callHandler } from '../../src/sdk/local-request.ts';
import { callMethod, openLocalEvents } from '../../src/sdk/local-rpc.ts';
import { configFromOptions } from '../../src/sdk/options-config.ts';
import type { Json } from '../data-requests.ts';
import { createRandom } from '../random.ts';
import type { Fact, SessionCommand, SessionOrder } from './facts.ts';
import { operationsOf, type SessionNode } from './session-operations.ts';
import { createSimulatedFiles } from './simulated-disk.ts';
import { createVirtualTime } from './virtual-time.ts';

/*
 * One session of a whole node in this process, on the simulated disk: it says what it finds at start, does random operations, and says what was
 * acknowledged, until it ends or the power is cut. Usage: bun node-session.ts ORDER
 */

const order = JSON.parse(process.argv[2] ?? '') as SessionOrder;
const random = createRandom(order.seed);
const time = createVirtualTime(random, order.startSeconds);
const disk = createSimulatedFiles(order.library);

/** A fact is at the other process before the next step begins. */
const say = (fact: Fact): void => void writeSync(1, `${JSON.stringify(fact)}\n`);

const config = configFromOptions({ dataDir: order.folder, accounts: 3 });
const files = dataFilesIn(order.folder);
const processEnv = createEnv({
  version: '0.0.0',
  log: createLog(
    (line) => say({ kind: 'log', line }),
    () => 'warn',
  ),
  keepsRunning: true,
});
const env = {
  ...processEnv,
  clock: time.clock,
  timers: time.timers,
  random: time.random,
  openFile: disk.openFile,
  removeFile: disk.removeFile,
  renameFile: disk.renameFile,
  openDatabase: watchCheckpoints(processEnv.openDatabase),
  // In this thread, so that the order of events is the same in every run.
  openRecoveryThread: () => ({ request: async (inputs: Uint8Array) => recoverBatch(recoverNative, inputs), close: () => {} }),
  abandon: () => {
    say({ kind: 'abandoned' });
    processEnv.abandon();
  },
  exit: (code: number) => {
    say({ kind: 'exit', code, operations: disk.operations() });
    process.exit(0);
  },
};

const { durability, pagesPerCheckpoint } = order;
const kind = { ...soloStore, durability, ...(pagesPerCheckpoint !== undefined && { pagesPerCheckpoint }) };

/** Says when a checkpoint of the chains' database is complete. */
function watchCheckpoints(open: OpenDatabase): OpenDatabase {
  return (path, options) => {
    const db = open(path, options);
    const prepare: Database['prepare'] = <Row>(sql: string): Statement<Row> => {
      const statement = db.prepare<Row>(sql);
      if (path !== files.database || !sql.includes('wal_checkpoint(RESTART)')) return statement;
      const get = (): Row | undefined => {
        const result = statement.get();
        if ((result as { busy?: number } | undefined)?.busy === 0) say({ kind: 'synced' });
        return result;
      };
      return { ...statement, get };
    };
    return { ...db, prepare };
  };
}

const call = (node: Node, path: string, method: string, params: object = {}): Promise<Json> =>
  time.until(callMethod(node.handler, path, method, params));
const get = async (node: Node, target: string): Promise<Json> => {
  const { status, body } = await time.until(callHandler(node.handler, { method: 'GET', target }));
  if (status !== 200 && order.failsReads) throw new Error(`status ${status}`);
  return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
};

/** Repeats what a failing read has stopped; more reads than these do not fail. */
async function retried<T>(read: () => Promise<T>): Promise<T> {
  for (let left = order.failsReads ? 20 : 0; ; left--)
    try {
      return await read();
    } catch (error) {
      if (left === 0) throw error;
    }
}

/** The IDs of all blocks. */
async function readChain(node: Node): Promise<string[]> {
  const height = Number((await call(node, '/ext/bc/X', 'avm.getHeight')).height);
  const ids: string[] = [];
  for (let at = 0; at <= height; at++) {
    const { block } = await call(node, '/ext/bc/X', 'avm.getBlockByHeight', { height: String(at), encoding: 'hex' });
    ids.push(idText(parseBlock(parseHex('hex', block)).id));
  }
  return ids;
}

const statusOf = async (node: Node, txID: string): Promise<string> =>
  String((await call(node, '/ext/bc/X', 'avm.getTxStatus', { txID })).status);

/** Says every event that the stream delivers, from where an earlier session has stopped reading. If a failing read ends it, another one goes on, as a client does. */
async function followEvents(node: Node, isClosing: () => boolean): Promise<void> {
  let last = order.lastEventID;
  do {
    const from = last === undefined ? '' : `lastEventId=${encodeURIComponent(last)}`;
    last = (await sayEvents(await retried(() => time.until(openLocalEvents(node.handler, from))))) ?? last;
  } while (order.failsReads && !isClosing());
}

/** Returns the last event. */
async function sayEvents(stream: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  let [text, last] = ['', undefined as string | undefined];
  for await (const chunk of stream) {
    text += new TextDecoder().decode(chunk);
    const messages = text.split('\n\n');
    text = messages.pop() ?? '';
    for (const message of messages) {
      const data = /^data: ?(.*)$/m.exec(message)?.[1];
      if (data === undefined) continue;
      const { id, kind, height, blockID, txIDs, txID } = JSON.parse(data);
      if (id === undefined) continue;
      last = id;
      say({ kind: 'event', id, event: kind, height, blockID, txIDs, txID });
    }
  }
  return last;
}

/** The same balance by the state and by the index. */
async function compareBalances(node: Node): Promise<void> {
  for (const { address } of node.accounts) {
    const { balance } = await call(node, '/ext/bc/X', 'avm.getBalance', { address, assetID: 'AVAX' });
    const answer = await get(node, `/v1/networks/local/blockchains/x-chain/balances?addresses=${address}`);
    const indexed = answer.balances?.unlocked.find(({ symbol }: Json) => symbol === 'AVAX')?.amount ?? '0';
    if (String(indexed) !== String(balance))
      say({ kind: 'unequal', text: `balance of ${address}: ${balance} in the state, ${indexed} in the index` });
  }
}

async function runSteps(node: Node): Promise<void> {
  const session: SessionNode = {
    random,
    accounts: node.accounts.map(({ address }) => address),
    dev: (method, params = {}) => call(node, '/ext/dev', `dev.${method}`, params),
    say,
    jump: time.jump,
  };
  const issued: string[] = [];
  for (let step = 0; step < order.steps; step++) {
    try {
      const txID = await random.pick(operationsOf(order.durability))(session);
      if (txID !== undefined) issued.push(txID);
    } catch (error) {
      say({ kind: 'refused call', text: String(error) });
    }
    await time.pass(random.below(300));
    const txID = issued.length === 0 ? undefined : random.pick(issued);
    try {
      if (txID !== undefined && (await statusOf(node, txID)) === 'Accepted') say({ kind: 'accepted', txID });
      if (random.below(8) === 0) await compareBalances(node);
    } catch (error) {
      say({ kind: 'refused call', text: String(error) });
    }
  }
}

function describeError(error: unknown) {
  const { fault, code, cause } = error as { fault?: { code?: string }; code?: string; cause?: { code?: string } };
  return { text: String(error), code: fault?.code ?? code, cause: cause?.code };
}

const commands = { compact, reindex, backup: (source: Config, used: Env) => backUp(source, backupFolder, used) };
/** Outside of the simulated disk: what is copied must be right, and what reaches the other disk is not its concern. */
const backupFolder = order.backup ?? join(order.folder, '..', 'backup');

function runCommand(command: SessionCommand): void {
  try {
    say({ kind: 'command', command, ...commands[command](config, env) });
  } catch (error) {
    say({ kind: 'refused command', ...describeError(error) });
  }
}

async function run(): Promise<void> {
  if (order.command !== undefined) return runCommand(order.command);
  let node: Node;
  try {
    node = await time.until(runDevChain(config, env, { listens: false }, kind));
  } catch (error) {
    say({ kind: 'refused start', ...describeError(error) });
    return;
  }
  const statuses: Record<string, string> = {};
  for (const txID of order.accepted) statuses[txID] = await retried(() => statusOf(node, txID));
  say({ kind: 'started', chain: await retried(() => readChain(node)), statuses });
  let isClosing = false;
  void followEvents(node, () => isClosing).catch((error) => say({ kind: 'wrong', text: `events: ${error}` }));
  await time.pass(3000);
  await runSteps(node);
  await time.pass(3000);
  say({ kind: 'ended', chain: await retried(() => readChain(node)), operations: disk.operations() });
  isClosing = true;
  await time.until(node.close());
  // SQLite removes the log when all of it is in the file and on disk.
  if (!existsSync(`${files.database}-wal`)) say({ kind: 'synced' });
  if (!order.checks) return;
  for (const dataDir of [order.folder, ...(order.backup === undefined ? [] : [order.backup])])
    say({ kind: 'checked', ...check({ ...config, dataDir }, env) });
}

// Not awaited: a program with bytecode (tools/build.ts) cannot await at its top level.
void run().then(() => process.exit(0));
