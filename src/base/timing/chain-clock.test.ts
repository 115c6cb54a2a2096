import { expect, test } from 'bun:test';
import { createChainClock, maxTime } from './chain-clock.ts';

/** A chain clock over a real clock that the test moves. */
function createTestClock() {
  let now = 1000n;
  const clock = createChainClock({ unixSeconds: () => now, unixNanos: () => now * 1_000_000_000n + 5n });
  return { clock, pass: (seconds: bigint) => (now += seconds) };
}

test('the clock is the real one until it is changed, and again after a reset', () => {
  const { clock, pass } = createTestClock();
  expect([clock.unixSeconds(), clock.unixNanos(), clock.save()]).toEqual([1000n, 1_000_000_000_005n, {}]);
  clock.set(5000n);
  pass(10n);
  expect(clock.read()).toEqual({ time: 5010n, offset: 4000n, isFrozen: false });
  expect(clock.unixNanos()).toBe(5_010_000_000_005n);
  clock.reset();
  expect(clock.read()).toEqual({ time: 1010n, offset: 0n, isFrozen: false });
});

test('a frozen clock stands still, and moves only when it is set or advanced', () => {
  const { clock, pass } = createTestClock();
  clock.freeze();
  pass(100n);
  expect(clock.read()).toEqual({ time: 1000n, offset: -100n, isFrozen: true });
  clock.advance(60n);
  pass(1n);
  expect([clock.unixSeconds(), clock.unixNanos()]).toEqual([1060n, 1_060_000_000_000n]);
});

test('the time of the next block is taken once, and the clock continues from it', () => {
  const { clock, pass } = createTestClock();
  expect(clock.takeNextBlockTime()).toBeUndefined();
  clock.setNextBlockTime(9000n);
  expect(clock.unixSeconds()).toBe(1000n);
  expect([clock.takeNextBlockTime(), clock.takeNextBlockTime()]).toEqual([9000n, undefined]);
  pass(5n);
  expect(clock.unixSeconds()).toBe(9005n);
});

test('the time stays between 0 and the year 9999', () => {
  const { clock } = createTestClock();
  clock.set(maxTime);
  clock.advance(10n);
  expect(clock.unixSeconds()).toBe(maxTime);
});

test('a saved state can be restored; listeners are called only for changes', () => {
  const { clock } = createTestClock();
  let changes = 0;
  clock.onChange(() => changes++);
  clock.set(5000n);
  clock.freeze();
  clock.setNextBlockTime(6000n);
  const saved = clock.save();
  expect(saved).toEqual({ offset: '4000', frozenAt: '5000', nextBlockTime: '6000' });
  clock.reset();
  expect(changes).toBe(4);
  clock.restore(saved);
  clock.restore(JSON.parse(JSON.stringify(saved)));
  expect(changes).toBe(5);
  expect([clock.read(), clock.takeNextBlockTime()]).toEqual([{ time: 5000n, offset: 4000n, isFrozen: true }, 6000n]);
});

test('the time stays between 0 and the year 9999, whatever the offset that is restored', () => {
  const { clock, pass } = createTestClock();
  clock.restore({ offset: '-999999999999' });
  expect([clock.unixSeconds(), clock.unixNanos()]).toEqual([0n, 0n]);
  clock.restore({ offset: '999999999999' });
  expect([clock.unixSeconds(), clock.unixNanos()]).toEqual([maxTime, maxTime * 1_000_000_000n]);
  clock.set(maxTime);
  pass(10n);
  expect(clock.unixSeconds()).toBe(maxTime);
});
