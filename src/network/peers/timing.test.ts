import { expect, test } from 'bun:test';
import { createDeadlineTimer, createTokenBucket, randomNumber, sample } from './timing.ts';

/** Random bytes from a list of 32-bit numbers, and how many bytes were asked for each time. */
function randomOf(...numbers: readonly number[]) {
  const asked: number[] = [];
  let at = 0;
  const randomBytes = (length: number): Uint8Array => {
    asked.push(length);
    const bytes = Buffer.alloc(length);
    for (let i = 0; i < length; i += 4) bytes.writeUInt32BE(numbers[at++] as number, i);
    return bytes;
  };
  return { randomBytes, asked };
}
/** The 32-bit number that is a share of all of them. */
const share = (part: number): number => Math.floor(part * 2 ** 32);

test('a random number is a share of 32 bits, below 1', () => {
  expect([0, 2 ** 31, 0x01020304, 2 ** 32 - 1].map((number) => randomNumber(randomOf(number)))).toEqual([
    0,
    0.5,
    0x01020304 / 2 ** 32,
    1 - 2 ** -32,
  ]);
});

test('a sample has different elements, each chosen by a number of its own', () => {
  const items = ['a', 'b', 'c', 'd'];
  expect(sample(items, 2, randomOf(share(0), share(0)))).toEqual(['a', 'd']);
  expect(sample(items, 2, randomOf(share(0.99), share(0.99)))).toEqual(['d', 'c']);
  expect(sample(items, 3, randomOf(share(0.25), share(0.34), share(0)))).toEqual(['b', 'd', 'a']);
  expect(items).toEqual(['a', 'b', 'c', 'd']);
  const all = randomOf(share(0.5), share(0), share(0), share(0));
  expect([sample(items, 9, all).toSorted(), all.asked]).toEqual([items, [16]]);
  expect([sample(items, 0, randomOf()), sample([], 3, randomOf())]).toEqual([[], []]);
});

test('only accepted elements are chosen; more random bytes are taken when they are used up', () => {
  const asked: string[] = [];
  const accepts = (item: string): boolean => asked.push(item) > 0 && item !== 'a' && item !== 'c';
  const random = randomOf(...Array.from({ length: 8 }, () => 0));
  expect(sample(['a', 'b', 'c', 'd', 'e'], 2, random, accepts)).toEqual(['e', 'd']);
  // A third is not asked for.
  expect([asked, random.asked]).toEqual([
    ['a', 'e', 'd'],
    [8, 4],
  ]);
  expect(sample(['a', 'c'], 2, randomOf(0, 0), accepts)).toEqual([]);
});

/** A timer of deadlines on a clock that the test moves. */
function openTimer() {
  const state = { now: 1000, deadlines: [] as number[], expired: [] as number[] };
  let timers: { readonly at: number; readonly run: () => void }[] = [];
  const set: number[] = [];
  const after = (ms: number, run: () => void) => {
    const timer = { at: state.now + ms, run };
    set.push(ms);
    timers.push(timer);
    return () => {
      timers = timers.filter((one) => one !== timer);
    };
  };
  const next = () => Math.min(Number.POSITIVE_INFINITY, ...state.deadlines);
  const expire = (now: number) => {
    state.expired.push(now);
    state.deadlines = state.deadlines.filter((at) => at > now);
  };
  const timer = createDeadlineTimer({ now: () => state.now, after }, { next, expire });
  const advance = (to: number): void => {
    for (let due = timers.find(({ at }) => at <= to); due !== undefined; due = timers.find(({ at }) => at <= to)) {
      state.now = due.at;
      timers = timers.filter((one) => one !== due);
      due.run();
    }
    state.now = to;
  };
  return { state, timer, advance, set, timerCount: () => timers.length };
}

test('one timer runs for the earliest deadline, then for the next', () => {
  const { state, timer, advance, set, timerCount } = openTimer();
  timer.arm();
  expect(timerCount()).toBe(0);
  state.deadlines = [1500];
  timer.arm();
  timer.arm();
  state.deadlines = [1500, 1200];
  timer.arm();
  expect([set, timerCount()]).toEqual([[500, 200], 1]);
  // A later one needs no timer of its own.
  state.deadlines = [1500, 1200, 1300];
  timer.arm();
  expect(set).toEqual([500, 200]);
  advance(1250);
  expect([state.expired, set]).toEqual([[1200], [500, 200, 100]]);
  advance(2000);
  expect([state.expired, timerCount()]).toEqual([[1200, 1300, 1500], 0]);
});

test('a deadline that has passed is due in a millisecond; nothing is due after the end', () => {
  const { state, timer, advance, set, timerCount } = openTimer();
  state.deadlines = [900];
  timer.arm();
  expect(set).toEqual([1]);
  advance(1001);
  expect(state.expired).toEqual([1001]);
  state.deadlines = [2000];
  timer.arm();
  timer.close();
  expect(timerCount()).toBe(0);
  timer.arm();
  expect(timerCount()).toBe(0);
});

test('a bucket gives its burst at once and then its rate', () => {
  const bucket = createTokenBucket(10, 3, 1000);
  expect([bucket.take(2, 1000), bucket.take(2, 1000), bucket.take(1, 1000), bucket.take(1, 1000)]).toEqual([true, false, true, false]);
  expect([bucket.take(1, 1099), bucket.take(1, 1100), bucket.take(1, 1100)]).toEqual([false, true, false]);
  // Never more than the burst, and a clock that goes back gives nothing.
  expect([bucket.take(4, 9000), bucket.take(3, 9000), bucket.take(1, 8000), bucket.take(1, 9099)]).toEqual([false, true, false, false]);
});

test('tokens that are taken in advance are waited for', () => {
  const bucket = createTokenBucket(10, 3, 0);
  expect([bucket.reserve(3, 0), bucket.reserve(1, 0), bucket.reserve(2, 0)]).toEqual([0, 100, 300]);
  expect([bucket.reserve(0, 300), bucket.take(1, 399), bucket.take(1, 400)]).toEqual([0, false, true]);
});
