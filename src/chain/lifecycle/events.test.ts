import { expect, test } from 'bun:test';
import { createEventBus } from './events.ts';

const time = { kind: 'time', time: 1n, offset: 0n, isFrozen: false } as const;

test('events reach the listeners of their kind, until these unsubscribe', () => {
  const { publish, subscribe } = createEventBus(() => {});
  const heard: string[] = [];
  const stop = subscribe('time', (event) => heard.push(`time ${event.time}`));
  subscribe('calls', ({ last }) => heard.push(`calls ${last}`));
  publish(time);
  publish({ kind: 'calls', last: 5 });
  expect(heard.splice(0)).toEqual(['time 1', 'calls 5']);
  stop();
  publish(time);
  expect(heard).toEqual([]);
});

test('a function that is subscribed twice is called twice, and each subscription ends by itself', () => {
  const { publish, subscribe } = createEventBus(() => {});
  let calls = 0;
  const listener = (): void => void calls++;
  const stop = subscribe('time', listener);
  subscribe('time', listener);
  publish(time);
  expect(calls).toBe(2);
  stop();
  stop();
  publish(time);
  expect(calls).toBe(3);
});

test('an error of a listener is logged, and the others are called', () => {
  const errors: unknown[] = [];
  const { publish, subscribe } = createEventBus((error) => errors.push(error));
  let calls = 0;
  const failure = new Error('of a listener');
  subscribe('time', () => {
    throw failure;
  });
  subscribe('time', () => calls++);
  publish(time);
  expect([errors, calls]).toEqual([[failure], 1]);
});
