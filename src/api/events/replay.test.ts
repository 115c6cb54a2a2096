import { describe, expect, test } from 'bun:test';
import type { Id } from '../../base/bytes/id.ts';
import { defaultCacheBytes, processCaches } from '../../base/cache/cache-budget.ts';
import type { EventLog, LogEntry } from './event-log.ts';
import type { Filter } from './filter.ts';
import { createEventHub, type EventHub, type HubDeps } from './hub.ts';
import type { Subscriber } from './subscriber.ts';
import { createTurns } from './turns.fixture.ts';

const everything: Filter = { owners: undefined, assets: undefined, kinds: undefined };
const id = '11'.repeat(32) as Id;
const entryCount = 200;
const entryBytes = 10_000;
const entriesPerRead = 8;

/** A log of entries of `entryBytes` each, that counts its reads. */
function createLog() {
  let reads = 0;
  const entry = (number: number): LogEntry => ({
    number,
    chainID: id,
    kind: 'reverted',
    height: number,
    blockID: id,
    time: 0,
    snapshot: 'x'.repeat(entryBytes),
  });
  const log: EventLog = {
    id: async () => 'log',
    last: async () => entryCount,
    read: async (after) => {
      reads++;
      return Array.from({ length: Math.min(entriesPerRead, entryCount - after) }, (_, i) => entry(after + 1 + i));
    },
  };
  return { log, reads: () => reads };
}

function createHub(log: EventLog, turns: ReturnType<typeof createTurns>, more: Partial<HubDeps> = {}): EventHub {
  return createEventHub({
    log,
    textOf: () => ({ alias: 'X', json: { address: (address) => address as string, id: (one) => one as string } }),
    timers: { soon: turns.soon, after: () => () => undefined },
    longWork: turns.longWork,
    logError: (error) => {
      throw error;
    },
    ...more,
  });
}

const resume = (hub: EventHub, count: number): Promise<Subscriber[]> =>
  Promise.all(Array.from({ length: count }, async () => (await hub.subscribe(everything, 'log-0')) as Subscriber));

describe('clients that resume', () => {
  test('one that does not read costs nothing', async () => {
    const { log, reads } = createLog();
    const turns = createTurns();
    const hub = createHub(log, turns);
    const clients = await resume(hub, 50);
    for (let i = 0; i < 20; i++) await turns.next();
    // The hub itself looks for new entries, but not for every client.
    expect(reads()).toBeLessThan(5);
    expect(clients.every((client) => client.queuedBytes() === 0)).toBe(true);
  });

  test('one that stops reading gets no more than a slice', async () => {
    const turns = createTurns();
    const hub = createHub(createLog().log, turns);
    const [client] = (await resume(hub, 1)) as [Subscriber];
    client.take();
    for (let i = 0; i < 100; i++) await turns.next();
    expect(client.queuedBytes()).toBeGreaterThan(0);
    expect(client.queuedBytes()).toBeLessThan(65_536 + 2 * entryBytes);
  });

  test('all together send a bounded number of events per turn, and each entry is read once for all', async () => {
    const { log, reads } = createLog();
    const turns = createTurns();
    const hub = createHub(log, turns);
    const clients = await resume(hub, 40);
    await turns.next();
    const readBefore = reads();
    let most = 0;
    let turnCount = 0;
    const received = new Map(clients.map((client) => [client, 0]));
    const isDone = () => [...received.values()].every((count) => count > entryCount);
    for (; !isDone() && turnCount < 100_000; turnCount++) {
      let sent = 0;
      for (const client of clients) {
        const count = client.take().length;
        sent += count;
        received.set(client, (received.get(client) ?? 0) + count);
      }
      most = Math.max(most, sent);
      await turns.next();
    }
    // Every client got all events and the heartbeat after them.
    expect([...received.values()]).toEqual(clients.map(() => entryCount + 1));
    expect(most).toBeLessThanOrEqual(20);
    expect(reads() - readBefore).toBeLessThan((2 * entryCount) / entriesPerRead);
  });

  test('one gets every event if the cache has room for an entry, but not for all of one read', async () => {
    processCaches.resize(defaultCacheBytes);
    processCaches.resize((defaultCacheBytes / processCaches.bytesOf('events')) * 3000);
    const turns = createTurns();
    const hub = createHub(createLog().log, turns);
    const [client] = (await resume(hub, 1)) as [Subscriber];
    const kinds: string[] = [];
    for (let turn = 0; turn < 10_000 && kinds.at(-1) !== 'heartbeat'; turn++) {
      kinds.push(...client.take().map(({ kind }) => kind));
      await turns.next();
    }
    processCaches.resize(defaultCacheBytes);
    expect(kinds).toEqual([...Array<string>(entryCount).fill('reverted'), 'heartbeat']);
  });

  test('nothing is read for one that has left', async () => {
    const { log, reads } = createLog();
    const turns = createTurns();
    const hub = createHub(log, turns);
    const clients = await resume(hub, 10);
    for (const client of clients) client.take();
    await turns.next();
    await turns.next();
    for (const client of clients) hub.unsubscribe(client);
    const before = reads();
    for (let i = 0; i < 20; i++) await turns.next();
    expect(reads()).toBe(before);
    expect(hub.size()).toBe(0);
  });

  test('the unread events of all clients have a limit; those with the most are cut off', async () => {
    const turns = createTurns();
    const hub = createHub(createLog().log, turns, { maxHeld: 3 * entryBytes });
    const [slow, fast] = (await Promise.all([hub.subscribe(everything, undefined), hub.subscribe(everything, undefined)])) as [
      Subscriber,
      Subscriber,
    ];
    await turns.next();
    for (let i = 0; i < 6; i++) {
      hub.sendLive('health', () => `"check":"${'x'.repeat(entryBytes)}"`);
      await turns.next();
      fast.take();
    }
    expect(slow.take().map(({ kind }) => kind)).toEqual(['closed']);
    expect(fast.hasEnded()).toBe(false);
  });
});
