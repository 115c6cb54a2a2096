import { expect, test } from 'bun:test';
import { createRandom } from './data-chain.ts';
import { drawZipf } from './zipf.ts';

test('numbers are drawn in proportion to one over their place', () => {
  const drawn = drawZipf(1000, 100_000, createRandom(1));
  const counts = new Map<number, number>();
  for (const n of drawn) counts.set(n, (counts.get(n) ?? 0) + 1);
  const share = (n: number) => (counts.get(n) ?? 0) / drawn.length;
  // The sum of 1/n up to 1000 is 7.485.
  for (const n of [0, 1, 9]) expect(share(n) * (n + 1) * 7.485).toBeCloseTo(1, 0);
  expect([Math.min(...drawn), drawn.every((n) => Number.isInteger(n) && n < 1000)]).toEqual([0, true]);
});

test('every place can be drawn, the last one too', () => {
  expect([drawZipf(4, 1, () => 0)[0], drawZipf(4, 1, () => 0.999_999)[0]]).toEqual([0, 3]);
});
