import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { parseTx } from '../../avm/tx/tx.ts';
import type { Address } from '../../base/bytes/address.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { defaultCacheBytes, processCaches } from '../../base/cache/cache-budget.ts';
import { longWork } from '../../base/timing/long-work.fixture.ts';
import { ownPart } from '../../ledger/state/balance.ts';
import { getChainNumber } from '../../ledger/state/chain-number.ts';
import { copyTables } from '../../ledger/state/copy-tables.fixture.ts';
import { type OpenChain, openChain } from '../../ledger/state/open-chain.fixture.ts';
import { chainID, otherChainID, randomChain } from '../../ledger/state/random-chain.fixture.ts';
import { eventKinds, eventSchema } from '../contract/event-kinds.ts';
import { findMismatches } from '../contract/schema-mismatches.fixture.ts';
import type { EventLog } from './event-log.ts';
import type { Filter } from './filter.ts';
import { createEventHub, type EventHub } from './hub.ts';
import { openSqliteEventLog } from './sqlite-event-log.ts';
import type { StreamEvent } from './stream-event.ts';
import type { Subscriber } from './subscriber.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-events-'));
afterAll(() => rmSync(folder, { recursive: true }));

const everything: Filter = { owners: undefined, assets: undefined, kinds: undefined };
const fail = (error: unknown): never => {
  throw error;
};
const timers = {
  soon: (run: () => void) => void setImmediate(run),
  after: (ms: number, run: () => void) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

type Opened = OpenChain & { readonly hub: EventHub; readonly log: ReturnType<typeof openSqliteEventLog>; readonly number: number };
type Options = Parameters<typeof openSqliteEventLog>[1];

const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));

/** A chain with an event log and a hub; `source` gives its blocks. */
function open(path: string, source: ReturnType<typeof randomChain>, options: Partial<Options> = {}): Opened {
  const chain = openChain(openDatabase, path);
  if (!chain.state.isInitialized()) chain.state.init(source.genesisTxs, source.first);
  const log = openSqliteEventLog(chain.store, { random, ...options });
  const number = getChainNumber(chain.store, chainID);
  log.addChain({ number, state: chain.state });
  const json = { address: (address: Address) => address as string, id: idText };
  const hub = createEventHub({ log, textOf: () => ({ alias: 'X', json }), timers, longWork, logError: fail, heartbeat: 60_000 });
  chain.store.onReverted(hub.advance);
  return { ...chain, log, hub, number };
}

function commit({ store, sharedMemory, state, hub, log, number }: Opened, source: ReturnType<typeof randomChain>, txCount = 3): void {
  const { inboundUtxos, block, diff } = source.next(state, txCount);
  if (inboundUtxos.length > 0) store.write(() => sharedMemory.put(chainID, otherChainID, inboundUtxos));
  state.commitAll([{ block, diff }], (stored) => log.append(number, stored));
  hub.advance();
}

/** Reads events until the heartbeat that says that all past ones were sent. */
async function readAll(hub: EventHub, filter: Filter, lastEventId: string | undefined): Promise<StreamEvent[]> {
  const subscriber = (await hub.subscribe(filter, lastEventId)) as Subscriber;
  const events: StreamEvent[] = [];
  while (events.at(-1)?.kind !== 'heartbeat') {
    events.push(...subscriber.take());
    await Bun.sleep(0);
  }
  hub.unsubscribe(subscriber);
  return events.slice(0, -1);
}

const idOfEvent = (event: StreamEvent): string => JSON.parse(event.json()).id as string;
const texts = (events: readonly StreamEvent[]): string[] => events.map((event) => event.json());
type TxShown = {
  height: number;
  balanceChanges?: { address: string; assetID: string; change: string; sharedChange: string }[];
};

/** Sums of single-owner and multi-owner outputs by address and asset. */
type Balances = Map<string, readonly [own: bigint, shared: bigint]>;

function balancesOf({ state }: Opened, addresses: readonly Address[]): Balances {
  const sums: Balances = new Map();
  for (const address of addresses)
    for (const { assetID, part, amount } of state.balances(address, 0n)) {
      if (part > ownPart) continue;
      const key = `${address} ${idText(assetID)}`;
      const [own, shared] = sums.get(key) ?? [0n, 0n];
      sums.set(key, part === ownPart ? [amount, shared] : [own, amount]);
    }
  return sums;
}

/** The ID of the position before the first event. */
const startOf = async ({ log }: Opened): Promise<string> => `${await log.id()}-0`;

describe('a chain with reverts and a restart', () => {
  const path = join(folder, 'chain.sqlite');
  const source = randomChain(11);
  let chain = open(path, source);
  afterAll(() => chain.close());
  let live: StreamEvent[] = [];
  const genesisBalances = balancesOf(chain, source.addresses);

  test('a client that was there all the time gets every event in order, each matching its schema', async () => {
    const subscriber = (await chain.hub.subscribe(everything, undefined)) as Subscriber;
    for (let i = 0; i < 4; i++) commit(chain, source);
    const restore = copyTables(chain.store);
    const other = randomChain(11);
    for (let i = 0; i < 4; i++) other.next(chain.state, 3);
    for (let i = 0; i < 5; i++) commit(chain, source);
    chain.store.revert(() => {
      restore();
    }, 'clean');
    for (let i = 0; i < 3; i++) commit(chain, other, 2);
    chain.store.revert(restore);
    for (let i = 0; i < 60; i++) {
      live.push(...subscriber.take());
      await Bun.sleep(1);
    }
    chain.hub.unsubscribe(subscriber);
    live = live.filter(({ kind }) => kind !== 'heartbeat');
    const kinds = live.map(({ kind }) => kind);
    const count = (kind: string) => kinds.filter((each) => each === kind).length;
    expect([count('block'), count('tx'), count('reverted')]).toEqual([12, 9 * 3 + 3 * 2, 2]);
    expect(new Set(live.map(idOfEvent)).size).toBe(live.length);
    for (const event of live) {
      expect(findMismatches(eventKinds[event.kind].schema, JSON.parse(event.json()), { strict: event.kind !== 'tx' })).toEqual([]);
      expect(findMismatches(eventSchema, JSON.parse(event.json()))).toEqual([]);
    }
    const reverts = live.filter(({ kind }) => kind === 'reverted').map((event) => JSON.parse(event.json()));
    expect(reverts).toMatchObject([{ height: 4, snapshot: 'clean' }, { height: 4 }]);
  });

  const resumesEverywhere = async () => {
    expect(texts(await readAll(chain.hub, everything, await startOf(chain)))).toEqual(texts(live));
    for (const [i, event] of live.entries()) {
      const resumed = await readAll(chain.hub, everything, idOfEvent(event));
      expect(texts(resumed)).toEqual(texts(live.slice(i + 1)));
    }
  };

  test('resuming from any event gives exactly the later ones, reverted blocks included', resumesEverywhere);

  test('a filtered client resumes from any of its events without gap or repeat', async () => {
    for (const address of source.addresses) {
      const filter: Filter = { ...everything, owners: new Set([address]) };
      const expected = texts(
        live.filter((event) => {
          if (event.kind === 'reverted') return true;
          const { txIDs, txID } = JSON.parse(event.json()) as { txIDs?: string[]; txID?: string };
          const ids = txIDs ?? [txID as string];
          return live.some((tx) => {
            const shown = JSON.parse(tx.json()) as { txID?: string; balanceChanges?: { address: string }[] };
            return ids.includes(shown.txID ?? '') && tx.subject?.owners.has(address);
          });
        }),
      );
      const all = await readAll(chain.hub, filter, await startOf(chain));
      expect(texts(all)).toEqual(expected);
      for (const [i, event] of all.entries())
        expect(texts(await readAll(chain.hub, filter, idOfEvent(event)))).toEqual(expected.slice(i + 1));
    }
  });

  test('after a restart the same IDs resume the same events', async () => {
    chain.close();
    chain = open(path, source);
    await resumesEverywhere();
  });

  test('the balance changes of all accepted transactions add up to the balances of the state', () => {
    // The last revert went back to height 4 of the first branch.
    const firstRevert = live.findIndex(({ kind }) => kind === 'reverted');
    const shown = live.slice(0, firstRevert).map((event) => JSON.parse(event.json()) as TxShown);
    const sums = new Map(genesisBalances);
    for (const { height, balanceChanges = [] } of shown.filter((event) => event.height <= 4))
      for (const { address, assetID, change, sharedChange } of balanceChanges) {
        if (!source.addresses.includes(address as Address)) continue;
        const key = `${address} ${assetID}`;
        const [own, shared] = sums.get(key) ?? [0n, 0n];
        sums.set(key, [own + BigInt(change), shared + BigInt(sharedChange)]);
        expect(height).toBeGreaterThan(0);
      }
    const nonZero = (balances: Balances) => [...balances].filter(([, [own, shared]]) => own !== 0n || shared !== 0n).sort();
    expect(nonZero(sums)).toEqual(nonZero(balancesOf(chain, source.addresses)));
    expect(nonZero(sums)).not.toEqual(nonZero(genesisBalances));
  });

  test('a block of the same chain adds no row to the log, and is an event of it', async () => {
    const rows = (): unknown[] => chain.store.db.prepare<unknown>('SELECT * FROM event_log').all();
    const [before, rowsBefore] = [idOfEvent(live.at(-1) as StreamEvent), rows()];
    const { block, diff } = randomChainAt4().next(chain.state, 1);
    chain.state.commitAll([{ block, diff }], (stored) => chain.log.append(chain.number, stored));
    expect(rows()).toEqual(rowsBefore);
    chain.close();
    chain = open(path, source);
    const events = await readAll(chain.hub, everything, before);
    expect(events.map(({ kind }) => kind)).toEqual(['block', 'tx']);
  });

  function randomChainAt4() {
    const fresh = randomChain(11);
    for (let i = 0; i < 4; i++) fresh.next(chain.state, 3);
    return fresh;
  }
});

describe('limits', () => {
  const source = randomChain(5);

  test('an ID that is older than the log, or not an ID at all, gets a reset and then new events', async () => {
    const chain = open(':memory:', source, { maxEntries: 10 });
    const oldest = await startOf(chain);
    for (let i = 0; i < 600; i++) commit(chain, source, 1);
    for (const id of [oldest, 'nonsense', 'abc-1', `${await chain.log.id()}-999999999`])
      expect((await readAll(chain.hub, everything, id)).map(({ kind }) => kind)).toEqual(['reset']);
    chain.close();
  });

  test('copies of reverted blocks are bounded; a client that needs a deleted one gets a reset', async () => {
    const own = randomChain(7);
    const chain = open(':memory:', own, { maxRevertedBytes: 1 });
    const start = await startOf(chain);
    const restore = copyTables(chain.store);
    commit(chain, own);
    chain.store.revert(restore);
    expect(chain.store.db.prepare<{ n: number }>('SELECT count(*) AS n FROM event_log_reverted_tx').get()?.n).toBe(0);
    expect((await readAll(chain.hub, everything, start)).map(({ kind }) => kind)).toEqual(['reset']);
    chain.close();
  });

  test('a client that does not read is cut off with a last event, and the others go on', async () => {
    const own = randomChain(9);
    const chain = open(':memory:', own);
    const hub = createEventHub({
      log: chain.log,
      textOf: () => ({ alias: 'X', json: { address: (address) => address as string, id: idText } }),
      timers,
      longWork,
      logError: fail,
      maxQueued: 20_000,
    });
    const slow = (await hub.subscribe(everything, undefined)) as Subscriber;
    const fast = (await hub.subscribe(everything, undefined)) as Subscriber;
    const received: StreamEvent[] = [];
    for (let i = 0; i < 40; i++) {
      commit(chain, own);
      hub.advance();
      while (received.filter(({ kind }) => kind === 'block').length <= i) {
        await Bun.sleep(0);
        received.push(...fast.take());
      }
    }
    expect(slow.take().map((event) => JSON.parse(event.json()))).toMatchObject([{ kind: 'closed', reason: 'too-slow' }]);
    expect(slow.isDone()).toBe(true);
    hub.unsubscribe(slow);
    hub.unsubscribe(fast);
    chain.close();
  });

  test('there is a limit of clients', async () => {
    const own = randomChain(9);
    const chain = open(':memory:', own);
    const hub = createEventHub({ log: chain.log, textOf: () => expect.unreachable(), timers, longWork, logError: fail, maxSubscribers: 2 });
    const clients = [await hub.subscribe(everything, undefined), await hub.subscribe(everything, undefined)] as Subscriber[];
    expect(await hub.subscribe(everything, undefined)).toBeUndefined();
    for (const client of clients) hub.unsubscribe(client);
    expect(hub.size()).toBe(0);
    chain.close();
  });
});

describe('blocks that the cache has no room for', () => {
  const blockTxs = 250;
  const source = randomChain(21);
  const chain = open(':memory:', source);
  afterAll(() => {
    chain.close();
    processCaches.resize(defaultCacheBytes);
  });
  const blockBytes: number[] = [];
  let kinds: StreamEvent['kind'][] = [];

  test.each([
    ['the default cache', defaultCacheBytes],
    ['a small cache', 1_000_000],
    ['no cache', 0],
  ])('with %s, clients that resume get every event', async (_, cacheBytes) => {
    processCaches.resize(cacheBytes);
    if (kinds.length === 0)
      for (const count of [1, blockTxs, 2, 2, blockTxs, 1]) {
        commit(chain, source, count);
        kinds = [...kinds, 'block', ...Array<StreamEvent['kind']>(count).fill('tx')];
        blockBytes.push(chain.state.block(chain.state.blockIdAt(BigInt(blockBytes.length + 1)) as Id)?.length ?? 0);
      }
    expect(Math.max(...blockBytes) * 10 * 4).toBeGreaterThan(processCaches.bytesOf('events'));
    const start = await startOf(chain);
    const all = await Promise.all(Array.from({ length: 4 }, () => readAll(chain.hub, everything, start)));
    for (const events of all) expect(events.map(({ kind }) => kind)).toEqual(kinds);
    const middle = idOfEvent(all[0]?.[blockTxs] as StreamEvent);
    expect((await readAll(chain.hub, everything, middle)).map(({ kind }) => kind)).toEqual(kinds.slice(blockTxs + 1));
  });

  test('a large block is read once for all slices of all clients, and dropped with the last client', async () => {
    let reads = 0;
    /** The log as it was after the first large block, its second entry. */
    const log: EventLog = {
      id: chain.log.id,
      last: async () => 2,
      read: async (after) => {
        if (after !== 1) return [];
        reads++;
        return (await chain.log.read(after))?.slice(0, 1);
      },
    };
    const textOf = () => ({ alias: 'X', json: { address: (address: Address) => address as string, id: idText } });
    const hub = createEventHub({ log, textOf, timers, longWork, logError: fail, heartbeat: 60_000 });
    const first = `${await log.id()}-1`;
    for (const expected of [1, 2]) {
      const clients = (await Promise.all([1, 2, 3].map(() => hub.subscribe(everything, first)))) as Subscriber[];
      const slices = clients.map((): number[] => []);
      const count = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);
      // The block, its transactions and a heartbeat.
      while (slices.some((sizes) => count(sizes) < 2 + blockTxs)) {
        for (const [i, client] of clients.entries()) slices[i]?.push(client.take().length);
        await Bun.sleep(0);
      }
      expect(slices[0]?.filter((size) => size > 0).length).toBeGreaterThan(3);
      for (const client of clients) hub.unsubscribe(client);
      expect(reads).toBe(expected);
    }
  });
});

test('without clients nothing is read or rendered', async () => {
  const source = randomChain(3);
  const chain = open(':memory:', source);
  const hub = createEventHub({
    log: { id: async () => '', last: () => expect.unreachable(), read: () => expect.unreachable() },
    textOf: () => expect.unreachable(),
    timers,
    longWork,
    logError: fail,
  });
  commit(chain, source);
  hub.advance();
  hub.sendLive('mempool', () => expect.unreachable());
  await Bun.sleep(5);
  chain.close();
});

test('a reverted transaction is still decoded from its own bytes', () => {
  const source = randomChain(13);
  const chain = open(':memory:', source);
  const restore = copyTables(chain.store);
  commit(chain, source, 5);
  chain.store.revert(restore);
  const rows = chain.store.db.prepare<{ bytes: Uint8Array }>('SELECT bytes FROM event_log_reverted_tx WHERE seq > 1').all();
  expect(rows.length).toBeGreaterThanOrEqual(5);
  for (const { bytes } of rows) expect(parseTx(bytes, 1 << 20).bytes.length).toBe(bytes.length);
  chain.close();
});
