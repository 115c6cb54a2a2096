import { expect, test } from 'bun:test';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { RequestKey } from '../protocol/request-tracker.ts';
import { createOutstandingRequests } from './outstanding-requests.ts';

const [a, b] = ['a', 'b'] as unknown as [NodeId, NodeId];
const key = (requestId: number, node = a): RequestKey => ({ node, chainId: 'c' as Id, requestId, response: 'chits' });

/** Requests with timeouts of 1 to 10 s, 5 s at first. `failed`: what has failed, and why. `turn` lets the next turn of the event loop come. */
function open() {
  const failed: string[] = [];
  const soon: (() => void)[] = [];
  const options = { initialTimeout: 5000, minimumTimeout: 1000, maximumTimeout: 10_000, timeoutHalfLife: 1000, timeoutCoefficient: 2 };
  const requests = createOutstandingRequests(
    options as never,
    { now: () => 0, soon: (run: () => void) => soon.push(run) } as never,
    ({ requestId }, cause) => failed.push(`${requestId} ${cause}`),
  );
  const expired: number[] = [];
  return {
    requests,
    failed,
    expired,
    turn: () => {
      for (const run of soon.splice(0)) run();
    },
    expire: (now: number) => requests.expire(now, ({ requestId }) => expired.push(requestId)),
  };
}

test('a response ends its request once, and tells since when it waited', () => {
  const { requests } = open();
  requests.add(key(1), true, 100);
  expect(requests.state()).toMatchObject({ outstanding: 1, oldest: 100, timeout: 5000 });
  expect(requests.end(key(1, b), 200)).toBeUndefined();
  expect(requests.end({ ...key(1), response: 'ancestors' }, 200)).toBeUndefined();
  expect(requests.end(key(1), 200)).toEqual({ since: 100, hasFailed: false });
  expect(requests.end(key(1), 200)).toBeUndefined();
  expect(requests.state()).toMatchObject({ outstanding: 0, oldest: undefined });
});

test('a request whose time is over fails', () => {
  const { requests, failed, expired, expire } = open();
  expect(requests.nextDeadline()).toBe(Number.POSITIVE_INFINITY);
  requests.add(key(1), true, 0);
  requests.add(key(2), true, 1000);
  expect(requests.nextDeadline()).toBe(5000);
  expire(4999);
  expect(expired).toEqual([]);
  expire(5000);
  expect([expired, failed]).toEqual([[1], ['1 timeout']]);
  expect(requests.end(key(1), 5001)).toBeUndefined();
  expect(requests.state().outstanding).toBe(1);
});

test('the requests to a peer that disconnects fail in the next turn; they wait on for the bench list, and do not fail again', () => {
  const { requests, failed, expired, turn, expire } = open();
  requests.add(key(1), true, 0);
  requests.add(key(2, b), true, 0);
  requests.add(key(3), true, 0);
  requests.failAllOf(a);
  requests.failAllOf(a);
  expect(failed).toEqual([]);
  turn();
  expect(failed).toEqual(['1 disconnected', '3 disconnected']);
  expect(requests.end(key(3), 50)).toEqual({ since: 0, hasFailed: true });
  expire(5000);
  expect([expired, failed.slice(2)]).toEqual([[1, 2], ['2 timeout']]);
});

test('the same ID can be used again after it failed', () => {
  const { requests, turn, failed } = open();
  requests.add(key(1), true, 0);
  requests.failSoon(key(1), 'disconnected');
  turn();
  requests.add(key(1), true, 10);
  expect(requests.end(key(1), 20)).toEqual({ since: 10, hasFailed: false });
  expect(failed).toEqual(['1 disconnected']);
});

test('in one turn at most 256 requests expire', () => {
  const { requests, expired, expire } = open();
  for (let i = 0; i < 300; i++) requests.add(key(i), false, 0);
  expire(20_000);
  expect(expired).toHaveLength(256);
  expire(20_000);
  expect(expired).toHaveLength(300);
});

test('the timeout follows the latency of responses, within its limits', () => {
  const { requests } = open();
  for (let now = 0, id = 0; now < 60_000; now += 100, id++) {
    requests.add(key(id), true, now);
    requests.end(key(id), now + 20);
  }
  expect(requests.timeout()).toBe(1000);
  expect(requests.state().averageLatency).toBeLessThan(100);
});

test('nothing fails after the end', () => {
  const { requests, failed, turn } = open();
  requests.add(key(1), true, 0);
  requests.failAllOf(a);
  requests.close();
  turn();
  expect(failed).toEqual([]);
});
