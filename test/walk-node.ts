import { expect } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Block, parseBlock } from '../src/avm/tx/block.ts';
import { idText } from '../src/base/bytes/id.ts';
import type { Json } from './data-requests.ts';
import { type EventClient, openEvents, type ReceivedEvent, resumable } from './event-client.ts';
import { type Client, createClient } from './http.ts';
import { childrenOf, eventually } from './processes.ts';
import { type Program, startProgramAsUsers } from './program.ts';
import type { AcceptedTx } from './walk-model.ts';

export type WalkMode = {
  readonly name: string;
  readonly flags: readonly string[];
  /** Where the chain is kept when the node stops: a data directory survives a kill too. */
  readonly keeps: 'data directory' | 'state file';
};

/** The real program under the walk, with a client of the event stream that resumes after every restart. */
export type WalkNode = {
  readonly mode: WalkMode;
  /** Calls a method, each time on another connection, so that all processes are asked in turn. */
  readonly call: (path: string, method: string, params?: unknown) => Promise<{ readonly result?: Json; readonly error?: Json }>;
  /** Calls a `dev.*` method that must succeed. */
  readonly dev: (method: string, params?: unknown) => Promise<Json>;
  readonly get: (path: string) => Promise<Json>;
  readonly blockAt: (height: number) => Promise<Block>;
  readonly saveState: () => Promise<Uint8Array>;
  readonly loadState: (file: Uint8Array) => Promise<void>;
  /** The mempool as a client knows it that has followed the stream since it was empty; undefined if it has not. */
  readonly followedMempool: () => readonly string[] | undefined;
  /** All events of blocks, transactions and reverts so far, over all connections. */
  readonly events: () => readonly ReceivedEvent[];
  /** Closes the event stream, or resumes it after the last event. Returns whether it is open. */
  readonly toggleEvents: () => Promise<boolean>;
  readonly isFollowing: () => boolean;
  readonly restart: (signal: 'SIGTERM' | 'SIGKILL') => Promise<void>;
  readonly stop: () => Promise<void>;
  /** What the program has written to stderr since it was started last. */
  readonly stderrText: () => string;
  readonly dataDir: string;
};

const connections = 4;

export async function startWalkNode(mode: WalkMode, folder: string): Promise<WalkNode> {
  const [dataDir, stateFile] = [join(folder, 'data'), join(folder, 'chain.state')];
  const kept = mode.keeps === 'data directory' ? `--data-dir=${dataDir}` : `--state=${stateFile}`;
  const received: ReceivedEvent[] = [];
  let lastID: string | undefined;
  let program: Program;
  let clients: Client[] = [];
  let stream: EventClient;
  let isFollowing = true;
  let taken = 0;
  let next = 0;
  let mempool: string[] | undefined = [];

  const takeEvents = (): void => {
    const { events } = stream;
    for (const event of events.slice(taken)) mempool = nextMempool(mempool, event);
    received.push(...resumable(events.slice(taken)));
    lastID = events.findLast(({ id }) => id !== undefined)?.id ?? lastID;
    taken = events.length;
  };
  const start = async (): Promise<void> => {
    program = await startProgramAsUsers('--accounts=3', kept, ...mode.flags);
    clients = Array.from({ length: connections }, () => createClient(program.port));
    if (isFollowing) await follow();
  };
  /** The first heartbeat comes after all past events. */
  const follow = async (): Promise<void> => {
    stream = openEvents(program.port, '?kind=block,tx,reverted,mempool', lastID === undefined ? {} : { 'last-event-id': lastID });
    taken = 0;
    await stream.until(({ kind }) => kind === 'heartbeat');
    takeEvents();
    // The transactions that wait now are not known.
    mempool = undefined;
  };
  const client = (): Client => clients[next++ % clients.length] as Client;
  await start();

  const call: WalkNode['call'] = async (path, method, params = {}) => client().call(path, method, params);
  return {
    mode,
    dataDir,
    stderrText: () => program.stderrText(),
    call,
    dev: async (method, params = {}) => {
      const { result, error } = await call('/ext/dev', `dev.${method}`, params);
      expect([method, params, error]).toEqual([method, params, undefined]);
      return result;
    },
    get: async (path) => {
      const { status, text } = await client().send('GET', path);
      expect([path, status, status === 200 ? '' : text]).toEqual([path, 200, '']);
      return JSON.parse(text);
    },
    blockAt: async (height) => {
      const { result } = await call('/ext/bc/X', 'avm.getBlockByHeight', { height: String(height), encoding: 'hexnc' });
      return parseBlock(Buffer.from(result.block.slice(2), 'hex'));
    },
    saveState: async () => new Uint8Array(await (await fetch(`${program.url}/ext/dev/state`)).arrayBuffer()),
    loadState: async (file) => {
      const response = await fetch(`${program.url}/ext/dev/state`, { method: 'PUT', body: new Uint8Array(file) });
      expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
    },
    events: () => {
      if (isFollowing) takeEvents();
      return received;
    },
    isFollowing: () => isFollowing,
    followedMempool: () => {
      if (isFollowing) takeEvents();
      return isFollowing ? mempool : undefined;
    },
    toggleEvents: async () => {
      isFollowing = !isFollowing;
      if (isFollowing) await follow();
      else {
        takeEvents();
        stream.close();
        await stream.closed;
      }
      return isFollowing;
    },
    restart: async (signal) => {
      for (const one of clients) one.close();
      const readers = childrenOf(program.pid);
      const code = await program.stop(signal);
      if (signal === 'SIGTERM') expect([code, program.stderrText()]).toEqual([0, expect.any(String)]);
      await stream.closed;
      if (isFollowing) takeEvents();
      await eventually(
        () => readers.filter((pid) => isRunning(pid)),
        (left) => left.length === 0,
      );
      await start();
    },
    stop: async () => {
      for (const one of clients) one.close();
      stream.close();
      expect(await program.stop()).toBe(0);
      rmSync(stateFile, { force: true });
    },
  };
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** The IDs of the waiting transactions after an event. A client that comes later knows them after the next revert. */
function nextMempool(mempool: string[] | undefined, { kind, data }: ReceivedEvent): string[] | undefined {
  if (kind === 'reverted') return [];
  if (mempool === undefined) return undefined;
  if (kind === 'mempool' && data.action === 'in') return [...mempool, data.txID as string];
  return kind === 'mempool' || kind === 'tx' ? mempool.filter((id) => id !== data.txID) : mempool;
}

type Change = { readonly address: string; readonly assetID: string; readonly change: string; readonly sharedChange: string };

/** An event as the model writes it: its kind, what identifies it, and the balance changes of a transaction. */
export const eventText = ({ kind, data }: ReceivedEvent): string => {
  if (kind === 'block') return `block ${data.height} ${data.blockID}`;
  if (kind === 'reverted') return `reverted ${data.height} ${data.blockID} ${data.snapshot}`;
  if (kind !== 'tx') return `${kind} ${data.reason}`;
  const changes = (data.balanceChanges as readonly Change[])
    .filter(({ change, sharedChange }) => change !== '0' || sharedChange !== '0')
    .map(({ address, assetID, change, sharedChange }) => `${address} ${assetID} ${change} ${sharedChange}`);
  return [`tx ${data.txID}`, ...changes.sort()].join('; ');
};

export const blockEvents = ({ height, id }: Block, txs: readonly AcceptedTx[]): string[] => [
  `block ${height} ${idText(id)}`,
  ...txs.map(({ tx, changes }) => [`tx ${idText(tx.id)}`, ...changes].join('; ')),
];

export const revertedEvent = ({ height, id }: Block, name: string): string => `reverted ${height} ${idText(id)} ${name}`;
