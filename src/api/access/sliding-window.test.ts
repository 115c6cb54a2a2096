import { expect, test } from 'bun:test';
import { createRandom } from '../../../test/random.ts';
import { addToCounter, dropExpired, emptyCounter, retentionOf, type SlidingWindow, waitUntilRoom } from './sliding-window.ts';

const window: SlidingWindow = { seconds: 10, bucketMilliseconds: 1000, buckets: 10 };

function createCounter() {
  const counter = emptyCounter();
  return {
    counter,
    add: (now: number, weight = 1): number => {
      dropExpired(counter, window, now);
      addToCounter(counter, window, now, weight);
      return counter.total;
    },
    total: (now: number): number => {
      dropExpired(counter, window, now);
      return counter.total;
    },
    wait: (now: number, weight: number, limit: number): number => waitUntilRoom(counter, window, now, weight, limit),
  };
}

test('a bucket counts until its last request is a whole window ago', () => {
  const { add, total } = createCounter();
  add(500);
  expect(add(900, 2)).toBe(3);
  expect(add(1000, 4)).toBe(7);
  expect([total(10_899), total(10_900), total(10_999), total(11_000)]).toEqual([7, 4, 4, 0]);
  expect(add(11_000)).toBe(1);
});

test('the wait is until so many buckets have left that the weight fits', () => {
  const { add, wait } = createCounter();
  add(500, 3);
  add(1500, 2);
  expect([wait(2000, 1, 6), wait(2000, 0, 5)]).toEqual([0, 0]);
  expect([wait(2000, 1, 5), wait(2000, 3, 5)]).toEqual([8500, 8500]);
  expect([wait(2000, 4, 5), wait(2000, 5, 5)]).toEqual([9500, 9500]);
  // More than the limit at once never fits.
  expect(wait(2000, 6, 5)).toBe(10_000);
});

test('a count is stored for the window and one bucket', () => {
  expect(retentionOf(window)).toBe(11_000);
});

test('random requests: as many as a plain list of them has, in few pairs', () => {
  const random = createRandom(3);
  const { counter, add, total } = createCounter();
  /** Weights by bucket, with the time of its last request. */
  let plain: { readonly bucket: number; last: number; weight: number }[] = [];
  let now = 0;
  for (let i = 0; i < 3000; i++) {
    now += random.below(i % 500 < 250 ? 300 : 3000);
    const weight = 1 + random.below(5);
    plain = plain.filter(({ last }) => last > now - 10_000);
    expect(total(now)).toBe(plain.reduce((sum, one) => sum + one.weight, 0));
    const last = plain.at(-1);
    if (last?.bucket === Math.floor(now / 1000)) [last.last, last.weight] = [now, last.weight + weight];
    else plain.push({ bucket: Math.floor(now / 1000), last: now, weight });
    add(now, weight);
    expect((counter.end - counter.first) / 2).toBe(plain.length);
  }
  expect(counter.pairs.length).toBeLessThanOrEqual(2 * 16);
});
