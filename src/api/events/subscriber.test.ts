import { describe, expect, test } from 'bun:test';
import { createHeldEvents } from './held-events.ts';
import type { StreamEvent } from './stream-event.ts';
import { createSubscriber } from './subscriber.ts';

const eventOf = (name: string, size = 10): StreamEvent => ({ name, json: () => 'x'.repeat(size) }) as unknown as StreamEvent;
const overflow = eventOf('overflow', 3);

function create({ limit, max = 1e9 }: { readonly limit?: number; readonly max?: number } = {}) {
  let overs = 0;
  const held = createHeldEvents(max, () => overs++);
  const woken: (() => void)[] = [];
  const subscriber = createSubscriber({
    filter: undefined as never,
    position: undefined as never,
    overflow: () => overflow,
    held,
    wake: (listener) => woken.push(listener),
    limit,
  });
  const wakeAll = (): void => {
    for (const listener of woken.splice(0)) listener();
  };
  return { ...subscriber, held, woken, wakeAll, overs: () => overs };
}
const [a, b, c] = [eventOf('a'), eventOf('b'), eventOf('c')];

describe('a subscriber', () => {
  test('gets its events in their order; it is woken when the first of them is queued', () => {
    const { push, take, queuedBytes, onQueued, wakeAll, woken } = create();
    let calls = 0;
    onQueued(() => calls++);
    push(a);
    push(b);
    expect([woken.length, queuedBytes()]).toEqual([1, 20]);
    wakeAll();
    expect([calls, take(), queuedBytes()]).toEqual([1, [a, b], 0]);
    push(c);
    wakeAll();
    expect([calls, take()]).toEqual([2, [c]]);
  });

  test('that begins to listen late is called at once', () => {
    const { push, onQueued } = create();
    let calls = 0;
    onQueued(() => calls++);
    expect(calls).toBe(0);
    push(a);
    onQueued(() => calls++);
    expect(calls).toBe(1);
  });

  test('takes at most about 64 KiB at a time', () => {
    const { push, take, queuedBytes } = create();
    const large = [eventOf('1', 65_535), eventOf('2', 1), eventOf('3', 1), eventOf('4', 70_000), eventOf('5', 1)];
    for (const event of large) push(event);
    expect([take(), queuedBytes()]).toEqual([large.slice(0, 2), 70_002]);
    expect([take(), take(), queuedBytes()]).toEqual([large.slice(2, 4), large.slice(4), 0]);
  });

  test('is told once that it has read all, each time it finds nothing', () => {
    const { push, take, onDrained } = create();
    let drains = 0;
    onDrained(() => drains++);
    expect(drains).toBe(0);
    take();
    take();
    expect(drains).toBe(1);
    push(a);
    take();
    expect(drains).toBe(1);
    take();
    expect(drains).toBe(2);
    onDrained(() => (drains += 10));
    expect(drains).toBe(12);
  });

  test('whose queue is full is cut off, with one last event; the first event may have any size', () => {
    const { push, take, isDone, hasEnded, held, overs } = create({ limit: 25, max: 30 });
    push(eventOf('large', 40));
    expect([hasEnded(), overs()]).toEqual([false, 1]);
    take();
    for (const event of [a, b]) push(event);
    push(eventOf('fits', 5));
    expect(hasEnded()).toBe(false);
    push(eventOf('too much', 1));
    expect([hasEnded(), isDone()]).toEqual([true, false]);
    push(c);
    expect([take(), isDone(), held.isOver()]).toEqual([[overflow], true, false]);
  });

  test('that ends gets one last event and no more, and is not told that it has read all', () => {
    const { push, end, take, isDone, onDrained } = create();
    let drains = 0;
    onDrained(() => drains++);
    push(a);
    end(b);
    end(c);
    push(c);
    expect([take(), take(), isDone(), drains]).toEqual([[a, b], [], true, 0]);
  });

  test('that disconnects holds nothing', () => {
    const { push, disconnect, take, isDone, queuedBytes, held } = create({ max: 5 });
    push(a);
    expect(held.isOver()).toBe(true);
    disconnect();
    push(b);
    expect([take(), isDone(), queuedBytes(), held.isOver()]).toEqual([[], true, 0, false]);
  });
});

describe('events in memory', () => {
  test('count once, however many queues have them', () => {
    let overs = 0;
    const { add, remove, isOver, check } = createHeldEvents(19, () => overs++);
    add(a);
    add(a);
    check();
    expect([isOver(), overs]).toEqual([false, 0]);
    add(b);
    check();
    expect([isOver(), overs]).toEqual([true, 1]);
    remove([a]);
    expect(isOver()).toBe(true);
    remove([a, a, c]);
    check();
    expect([isOver(), overs]).toEqual([false, 1]);
    add(eventOf('nine', 9));
    expect(isOver()).toBe(false);
    add(eventOf('one', 1));
    expect(isOver()).toBe(true);
  });
});
