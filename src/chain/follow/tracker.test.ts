import { expect, test } from 'bun:test';
import { noResponse } from './fault.ts';
import { createTracker } from './tracker.ts';
import type { BlockPosition, VerifiedBlock } from './verify-blocks.ts';

/** A tracker whose clock the test sets, in seconds. */
function start() {
  let now = 0;
  const timing = { now: () => now * 1000, unix: () => 1_700_000_000n + BigInt(Math.floor(now)), after: () => () => {} };
  const tracker = createTracker({ timing, logError: () => {} });
  const block = (height: bigint) => ({ id: `block ${height}`, height, time: 1_700_000_000n, txs: [], unknownImports: 0 });
  tracker.startAt(block(1n) as unknown as BlockPosition);
  tracker.nodeVerified();
  return {
    ...tracker,
    at: (seconds: number): void => {
      now = seconds;
    },
    store: (height: bigint) => tracker.blocksStored([{ block: block(height) } as unknown as VerifiedBlock], 1),
    lag: () => tracker.status().lagSeconds,
  };
}

test('the lag grows while the node answers and has a block that is not stored', () => {
  const { at, remoteHeight, store, lag } = start();
  remoteHeight(1n);
  at(100);
  remoteHeight(2n);
  expect(lag()).toBe(0);
  at(103);
  remoteHeight(2n);
  expect(lag()).toBe(3);
  store(2n);
  expect(lag()).toBe(0);
});

test('a follower that always lacks the newest block of a busy node has the lag of that block', () => {
  const { at, remoteHeight, store, lag } = start();
  for (let second = 1; second <= 300; second++) {
    at(second);
    remoteHeight(BigInt(second + 1));
    store(BigInt(second));
  }
  expect(lag()).toBe(0);
  // It is stuck for longer than there are marks.
  for (let second = 301; second <= 600; second++) {
    at(second);
    remoteHeight(BigInt(second + 1));
  }
  expect(lag()).toBe(300);
  store(601n);
  expect(lag()).toBe(0);
});

test('while the node is silent the lag stays as it was, and the age of the data grows', () => {
  const { at, remoteHeight, errorOccurred, behindSeconds, lag } = start();
  remoteHeight(1n);
  at(3);
  remoteHeight(2n);
  at(5);
  remoteHeight(2n);
  at(60);
  errorOccurred(noResponse('avm.getHeight', 'no answer'));
  expect([lag(), behindSeconds()]).toEqual([2, 60]);
});

test('a node that went back is not ahead', () => {
  const { at, remoteHeight, lag } = start();
  remoteHeight(9n);
  at(20);
  remoteHeight(1n);
  expect(lag()).toBe(0);
});
