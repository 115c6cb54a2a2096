import { describe, expect, test } from 'bun:test';
import { createRandom } from '../../../test/random.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { createAverager } from './averager.ts';
import { createRequestTracker, defaultTimeoutRules, type RequestKey } from './request-tracker.ts';

const key = (requestId: number, response = 'chits'): RequestKey => ({
  node: '01'.repeat(20) as NodeId,
  chainId: '02'.repeat(32) as Id,
  requestId,
  response,
});

test('an observation loses half its weight per half-life', () => {
  const averager = createAverager(10, 1000, 0);
  expect(averager.read()).toBe(10);
  averager.observe(0, 1000);
  // Weights 1/2 and 1.
  expect(averager.read()).toBeCloseTo(10 / 3);
  averager.observe(4, 1000);
  expect(averager.read()).toBeCloseTo(9 / 2.5);
  averager.observe(100, 0);
  expect(averager.read()).toBeCloseTo(59 / 3);
});

describe('request tracker', () => {
  test('the timeout is twice the average latency, from 2 s to 10 s', () => {
    const tracker = createRequestTracker(defaultTimeoutRules, 0);
    expect(tracker.add(key(1), true, 0)).toBe(5000);
    for (let request = 1; request <= 200; request++) {
      tracker.add(key(request), true, request);
      expect(tracker.end(key(request), request + 5)).toBe(request);
    }
    expect(tracker.timeout()).toBe(2000);
    for (let request = 0; request < 2000; request++) tracker.observe(10_000, 1000);
    expect(tracker.timeout()).toBe(10_000);
  });
  test('a response without request is ignored, also a second one and one of another kind', () => {
    const tracker = createRequestTracker(defaultTimeoutRules, 0);
    tracker.add(key(1), true, 0);
    expect([tracker.end(key(1, 'put'), 1), tracker.end(key(2), 1), tracker.end(key(1), 1), tracker.end(key(1), 1)]).toEqual([
      undefined,
      undefined,
      0,
      undefined,
    ]);
  });
  test('requests expire by their deadline, a limited number at once; the latency of unmeasured ones does not count', () => {
    const tracker = createRequestTracker(defaultTimeoutRules, 0);
    for (let request = 0; request < 10; request++) tracker.add(key(request), false, request);
    tracker.end(key(3), 20);
    expect([tracker.nextDeadline(), tracker.oldest(), tracker.count()]).toEqual([5000, 0, 9]);
    expect(tracker.expire(4999, 100)).toEqual([]);
    expect(tracker.expire(5005, 2).map(({ requestId }) => requestId)).toEqual([0, 1]);
    expect(tracker.expire(5005, 100).map(({ requestId }) => requestId)).toEqual([2, 4, 5]);
    expect([tracker.count(), tracker.timeout()]).toEqual([4, 5000]);
    expect(tracker.end(key(0), 6000)).toBeUndefined();
  });
  test('the same as a plain list under random use', () => {
    const random = createRandom(5);
    const tracker = createRequestTracker(defaultTimeoutRules, 0);
    let waiting: { requestId: number; deadline: number }[] = [];
    let now = 0;
    for (let step = 0; step < 5000; step++) {
      now += random.below(60);
      const requestId = random.below(400);
      if (random.below(3) > 0) {
        waiting = waiting.filter((other) => other.requestId !== requestId);
        const before = tracker.timeout();
        const isNew = tracker.end(key(requestId), now) === undefined;
        const timeout = tracker.add(key(requestId), true, now);
        if (isNew) expect(timeout).toBe(before);
        waiting.push({ requestId, deadline: now + timeout });
      } else {
        expect(tracker.end(key(requestId), now) !== undefined).toBe(waiting.some((other) => other.requestId === requestId));
        waiting = waiting.filter((other) => other.requestId !== requestId);
      }
      if (step % 7 === 0) {
        const expired = tracker.expire(now, 1000).map(({ requestId }) => requestId);
        const expected = waiting.filter(({ deadline }) => deadline <= now).map(({ requestId }) => requestId);
        expect(expired.sort()).toEqual(expected.sort());
        waiting = waiting.filter(({ deadline }) => deadline > now);
      }
      expect(tracker.count()).toBe(waiting.length);
    }
  });
});
