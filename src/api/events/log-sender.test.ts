import { expect, test } from 'bun:test';
import type { Id } from '../../base/bytes/id.ts';
import { longWork } from '../../base/timing/long-work.fixture.ts';
import type { LogEntry } from './event-log.ts';
import type { Filter } from './filter.ts';
import { createEventHub } from './hub.ts';
import type { Subscriber } from './subscriber.ts';

const maxWaitingLive = 10_000;
const timers = { soon: (run: () => void) => void setImmediate(run), after: () => () => {} };

const entry = (number: number): LogEntry => ({
  ...{ kind: 'reverted', number, chainID: 'chain' as Id, height: 0, blockID: 'block' as Id, time: 0, snapshot: undefined },
});

/** A hub whose log has entries up to the number of the last `readTo`. */
async function openSlowHub() {
  let last = 0;
  const read = async (after: number) => (after < last ? [entry(after + 1)] : []);
  const json = { address: (address: string) => address, id: (id: string) => id };
  const textOf = () => ({ alias: 'X', json }) as never;
  const hub = createEventHub({
    log: { id: async () => 'log', last: async () => last, read },
    textOf,
    timers,
    longWork,
    logError: console.error,
  });
  const subscribe = async (kinds: Filter['kinds']): Promise<Subscriber> => {
    const subscriber = (await hub.subscribe({ owners: undefined, assets: undefined, kinds }, undefined)) as Subscriber;
    subscriber.take();
    return subscriber;
  };
  /** Sends a live event that must come after an entry. */
  const send = (name: string, after: number) =>
    hub.sendLive(
      'health',
      () => `"check":"${name}"`,
      undefined,
      () => after,
    );
  const readTo = (number: number): void => {
    last = number;
    hub.advance();
  };
  return { hub, subscribe, send, readTo };
}

/** The kinds of the next events of a client. */
async function takeKinds(subscriber: Subscriber, count: number): Promise<string[]> {
  const kinds: string[] = [];
  while (kinds.length < count) {
    kinds.push(...subscriber.take().map(({ kind }) => kind));
    await Bun.sleep(0);
  }
  return kinds;
}

test('a live event never comes before an entry it happened after; too many that wait are dropped, which a reset says once', async () => {
  const { hub, subscribe, send, readTo } = await openSlowHub();
  const [client, withoutLive] = [await subscribe(undefined), await subscribe(new Set(['reverted']))];
  for (let i = 0; i < maxWaitingLive + 50; i++) send(`${i}`, 1);
  await Bun.sleep(5);
  expect(client.take()).toEqual([]);
  readTo(1);
  expect(await takeKinds(client, maxWaitingLive + 2)).toEqual(['reverted', ...new Array(maxWaitingLive).fill('health'), 'reset']);
  expect(await takeKinds(withoutLive, 1)).toEqual(['reverted']);
  send('now', 1);
  send('later', 2);
  readTo(2);
  expect(await takeKinds(client, 3)).toEqual(['health', 'reverted', 'health']);
  expect(await takeKinds(withoutLive, 1)).toEqual(['reverted']);
  for (const subscriber of [client, withoutLive]) hub.unsubscribe(subscriber);
});

test('a log that cannot be read is read again once a second, however often it has failed', async () => {
  let reads = 0;
  const scheduled = new Set<symbol>();
  const hub = createEventHub({
    log: {
      id: async () => 'log',
      last: async () => 0,
      read: async () => {
        reads++;
        throw new Error('no answer');
      },
    },
    textOf: () => expect.unreachable(),
    timers: {
      ...timers,
      after: () => {
        const timer = Symbol();
        scheduled.add(timer);
        return () => scheduled.delete(timer);
      },
    },
    longWork,
    logError: () => {},
    heartbeat: 1,
  });
  const subscriber = (await hub.subscribe({ owners: undefined, assets: undefined, kinds: undefined }, undefined)) as Subscriber;
  const others = scheduled.size;
  for (let i = 0; i < 20; i++) {
    hub.advance();
    await Bun.sleep(1);
  }
  expect(reads).toBeGreaterThan(10);
  expect(scheduled.size - others).toBeLessThanOrEqual(1);
  hub.unsubscribe(subscriber);
});
