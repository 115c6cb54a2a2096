import { afterAll, describe, expect, test } from 'bun:test';
import { openDatabase } from '../../app/platform/bun/database.ts';
import type { Address } from '../../base/bytes/address.ts';
import { idText } from '../../base/bytes/id.ts';
import { getChainNumber } from '../../ledger/state/chain-number.ts';
import { openChain } from '../../ledger/state/open-chain.fixture.ts';
import { chainID, otherChainID, randomChain } from '../../ledger/state/random-chain.fixture.ts';
import type { Filter } from './filter.ts';
import { createEventHub } from './hub.ts';
import { openSqliteEventLog } from './sqlite-event-log.ts';
import { createStreamEvent, type StreamEvent } from './stream-event.ts';
import type { Subscriber } from './subscriber.ts';
import { createSseJoiner } from './transport.ts';
import { createTurns } from './turns.fixture.ts';

const everything: Filter = { owners: undefined, assets: undefined, kinds: undefined };
const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

/** A chain with a hub whose turns and timers the test advances. */
function open() {
  const source = randomChain(21);
  const chain = openChain(openDatabase, ':memory:');
  closing.push(chain.close);
  chain.state.init(source.genesisTxs, source.first);
  const log = openSqliteEventLog(chain.store, { random: (length) => new Uint8Array(length) });
  const number = getChainNumber(chain.store, chainID);
  log.addChain({ number, state: chain.state });
  const turns = createTurns();
  const waiting: { readonly milliseconds: number; readonly run: () => void }[] = [];
  const json = { address: (address: Address) => address as string, id: idText };
  const heartbeat = 60_000;
  const hub = createEventHub({
    log,
    textOf: () => ({ alias: 'X', json }),
    timers: {
      soon: turns.soon,
      after: (milliseconds, run) => {
        const timer = { milliseconds, run };
        waiting.push(timer);
        return () => void (waiting.includes(timer) && waiting.splice(waiting.indexOf(timer), 1));
      },
    },
    longWork: turns.longWork,
    logError: (error) => {
      throw error;
    },
    heartbeat,
  });
  return {
    hub,
    last: log.lastNumber,
    next: turns.next,
    /** Runs the timers of slices, or those of heartbeats. */
    runTimers: async (isHeartbeat: boolean): Promise<void> => {
      for (const timer of waiting.filter(({ milliseconds }) => (milliseconds === heartbeat) === isHeartbeat)) {
        waiting.splice(waiting.indexOf(timer), 1);
        timer.run();
      }
      for (let i = 0; i < 2000; i++) await Promise.resolve();
    },
    subscribe: async (filter = everything): Promise<Subscriber> => {
      const subscriber = (await hub.subscribe(filter, undefined)) as Subscriber;
      subscriber.take();
      return subscriber;
    },
    commit: (txCount: number): void => {
      const { inboundUtxos, block, diff } = source.next(chain.state, txCount);
      if (inboundUtxos.length > 0) chain.store.write(() => chain.sharedMemory.put(chainID, otherChainID, inboundUtxos));
      chain.state.commitAll([{ block, diff }], (stored) => log.append(number, stored));
      hub.advance();
    },
  };
}

/** The kinds of all events that wait for a client. */
function takeKinds(subscriber: Subscriber): string[] {
  const kinds: string[] = [];
  while (subscriber.queuedBytes() > 0) kinds.push(...subscriber.take().map(({ kind }) => kind));
  return kinds;
}

describe('many clients', () => {
  test('cost the request that causes an event nothing, share one rendering, and send in slices', async () => {
    const { hub, subscribe, next, runTimers } = open();
    const clients = await Promise.all(Array.from({ length: 1000 }, () => subscribe()));
    await next();
    let woken = 0;
    for (const client of clients) client.onQueued(() => woken++);
    let rendered = 0;
    hub.sendLive('health', () => `"healthy":${++rendered}`);
    // The request is answered here.
    const queued = () => clients.filter((client) => client.queuedBytes() > 0).length;
    expect([rendered, queued(), woken]).toEqual([0, 0, 0]);
    await next();
    expect([rendered, queued(), woken]).toEqual([1, clients.length, 0]);
    const slices: number[] = [];
    while (woken < clients.length) {
      const before = woken;
      await next();
      await runTimers(false);
      if (woken > before) slices.push(woken - before);
    }
    expect(Math.max(...slices)).toBeLessThanOrEqual(128);
    expect(woken).toBe(clients.length);
  });

  test('get the same bytes for the same events', () => {
    const join = createSseJoiner();
    const [a, b] = ['a', 'b'].map((text) => createStreamEvent('log', 'health', undefined, () => `"check":"${text}"`)) as [
      StreamEvent,
      StreamEvent,
    ];
    const first = join([a, b]);
    expect(join([a, b])).toBe(first);
    expect(Buffer.from(first).toString()).toBe(
      'event: health\ndata: {"kind":"health","check":"a"}\n\nevent: health\ndata: {"kind":"health","check":"b"}\n\n',
    );
    expect(Buffer.from(join([a])).toString()).toBe('event: health\ndata: {"kind":"health","check":"a"}\n\n');
    expect(join([b])).not.toBe(first);
  });
});

test('a large block is queued in slices: nothing overtakes it, and a client that comes meanwhile gets what is after it', async () => {
  const { hub, last, subscribe, next, runTimers, commit } = open();
  const [client, other] = [await subscribe(), await subscribe()];
  await next();
  const txCount = 60;
  commit(txCount);
  hub.sendLive('health', () => '"healthy":true', undefined, last);
  expect([client.queuedBytes(), other.queuedBytes()]).toEqual([0, 0]);
  await next();
  const received = takeKinds(client);
  expect(received.length).toBeGreaterThan(1);
  expect(received.length).toBeLessThan(txCount);
  // A heartbeat has the ID of the last entry, which not all clients have yet.
  await runTimers(true);
  const late = await subscribe();
  expect(takeKinds(client)).not.toContain('heartbeat');
  const lateKinds: string[] = [];
  for (let turn = 0; turn < 50; turn++) {
    await next();
    received.push(...takeKinds(client));
    lateKinds.push(...takeKinds(late));
  }
  expect(received.filter((kind) => kind === 'tx').length).toBeGreaterThan(txCount / 2);
  expect(received.indexOf('health')).toBe(received.lastIndexOf('tx') + 1);
  expect(received.indexOf('heartbeat')).toBe(received.length - 1);
  expect(lateKinds).not.toContain('tx');
  // The next block reaches all of them.
  commit(2);
  const blocksOf = async (subscriber: Subscriber): Promise<number> => {
    for (let turn = 0; turn < 10; turn++) await next();
    return takeKinds(subscriber).filter((kind) => kind === 'block').length;
  };
  expect([await blocksOf(late), await blocksOf(client)]).toEqual([1, 1]);
});
