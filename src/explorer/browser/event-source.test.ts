import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import { followEvents, type StreamMessage } from './event-source.ts';

/** The browser's EventSource as the module uses it. */
class FakeSource {
  static opened: FakeSource[] = [];
  readonly listeners = new Map<string, (event: object) => void>();
  readonly url: string;
  onerror: () => void = () => {};
  isClosed = false;
  constructor(url: string) {
    this.url = url;
    FakeSource.opened.push(this);
  }
  addEventListener(kind: string, listener: (event: object) => void): void {
    this.listeners.set(kind, listener);
  }
  close(): void {
    this.isClosed = true;
  }
  send(kind: string, lastEventId: string, data = '{}'): void {
    this.listeners.get(kind)?.({ lastEventId, data });
  }
}

const before = Object.getOwnPropertyDescriptor(globalThis, 'EventSource');
beforeEach(() => {
  jest.useFakeTimers();
  FakeSource.opened = [];
  Object.defineProperty(globalThis, 'EventSource', { value: FakeSource, configurable: true });
});
afterEach(() => {
  jest.useRealTimers();
  if (before === undefined) Reflect.deleteProperty(globalThis, 'EventSource');
  else Object.defineProperty(globalThis, 'EventSource', before);
});

function follow(position: string) {
  const messages: StreamMessage[] = [];
  followEvents(position, (message) => void messages.push(message));
  return { messages, last: () => FakeSource.opened.at(-1) as FakeSource };
}

test('it begins at a position, or at now', () => {
  follow('L-3.1 &');
  follow('');
  expect(FakeSource.opened.map(({ url }) => url)).toEqual(['/ext/events?lastEventId=L-3.1%20%26', '/ext/events']);
});

test('events that can be resumed from have their position, live ones have none', () => {
  const { messages, last } = follow('');
  for (const kind of ['block', 'tx', 'reverted', 'reset', 'heartbeat', 'mempool', 'time', 'settings', 'calls', 'health', 'closed', 'other'])
    last().send(kind, 'L-4', `{"kind":"${kind}"}`);
  expect(messages.map(({ kind, id, data }) => [kind, id, data])).toEqual([
    ...['block', 'tx', 'reverted', 'reset', 'heartbeat'].map((kind) => [kind, 'L-4', `{"kind":"${kind}"}`]),
    ...['mempool', 'time', 'settings', 'calls', 'health', 'closed'].map((kind) => [kind, '', `{"kind":"${kind}"}`]),
  ]);
});

test('after a second it resumes behind the last event, of whatever kind; two failures in a row are a lost stream', () => {
  const { messages, last } = follow('L-1');
  last().send('block', 'L-2');
  last().send('mempool', '');
  const first = last();
  first.onerror();
  jest.advanceTimersByTime(999);
  expect([first.isClosed, FakeSource.opened.length]).toEqual([true, 1]);
  jest.advanceTimersByTime(1);
  expect(last().url).toBe('/ext/events?lastEventId=L-2');
  expect(messages.map(({ kind }) => kind)).toEqual(['block', 'mempool']);
  last().onerror();
  jest.advanceTimersByTime(1000);
  expect(messages.at(-1)).toEqual({ kind: 'lost', data: '{"kind":"lost"}', id: '' });
  // An event ends the count of failures, and a live one moves the position too.
  last().send('mempool', 'L-3');
  last().onerror();
  jest.advanceTimersByTime(1000);
  expect([messages.filter(({ kind }) => kind === 'lost').length, last().url]).toEqual([1, '/ext/events?lastEventId=L-3']);
});
