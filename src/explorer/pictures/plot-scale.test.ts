import { expect, test } from 'bun:test';
import { margin, round, scalePlot, ticksUpTo } from './plot-scale.ts';

test('ticks are steps of 1, 2 or 5 from zero to at least the largest value', () => {
  expect(ticksUpTo(3)).toEqual([0, 1, 2, 3]);
  expect(ticksUpTo(3.1)).toEqual([0, 2, 4]);
  expect(ticksUpTo(6)).toEqual([0, 2, 4, 6]);
  expect(ticksUpTo(7)).toEqual([0, 5, 10]);
  expect(ticksUpTo(15)).toEqual([0, 5, 10, 15]);
  expect(ticksUpTo(16)).toEqual([0, 10, 20]);
  expect(ticksUpTo(30)).toEqual([0, 10, 20, 30]);
  // In binary the steps are not exact; the ticks are.
  expect(ticksUpTo(0.3)).toEqual([0, 0.1, 0.2, 0.3]);
  expect(ticksUpTo(1_500_000)).toEqual([0, 500_000, 1_000_000, 1_500_000]);
});

test('an axis without a value goes to 1, and counts have no tick between two of them', () => {
  expect(ticksUpTo(0)).toEqual([0, 1]);
  expect(ticksUpTo(-1)).toEqual([0, 1]);
  expect(ticksUpTo(1, false, true)).toEqual([0, 1]);
  expect(ticksUpTo(2, false, true)).toEqual([0, 1, 2]);
  expect(ticksUpTo(1)).toEqual([0, 0.5, 1]);
  expect(ticksUpTo(7, false, true)).toEqual([0, 5, 10]);
});

test('a logarithmic axis has powers of ten, of many every other one and the last', () => {
  expect(ticksUpTo(0, true)).toEqual([0, 1]);
  expect(ticksUpTo(100, true)).toEqual([0, 1, 10, 100]);
  expect(ticksUpTo(101, true)).toEqual([0, 1, 10, 100, 1000]);
  expect(ticksUpTo(10_000, true)).toEqual([0, 1, 10, 100, 1000, 10_000]);
  expect(ticksUpTo(100_000, true)).toEqual([0, 10, 1000, 100_000]);
  expect(ticksUpTo(1_000_000, true)).toEqual([0, 10, 1000, 100_000, 1_000_000]);
});

test('values are between the ends of their axes', () => {
  const { ticks, plotWidth, base, atX, atY } = scalePlot({ width: 460, height: 246, first: 10, last: 20, max: 6 });
  expect({ ticks, plotWidth, base }).toEqual({ ticks: [0, 2, 4, 6], plotWidth: 400, base: 222 });
  expect([10, 15, 20].map(atX)).toEqual([margin.left, 252, 452]);
  expect([0, 3, 6].map(atY)).toEqual([222, 122, margin.top]);
  expect(atX(10.001)).toBe(52);
  expect(atX(10.0025)).toBe(52.1);
});

test('one value is at the left end, and a logarithmic axis gives each power of ten the same room', () => {
  const one = scalePlot({ width: 460, height: 246, first: 10, last: 10, max: -5 });
  expect([one.atX(10), one.ticks]).toEqual([margin.left, [0, 1]]);
  const log = scalePlot({ width: 460, height: 246, first: 0, last: 1, max: 999, isLog: true });
  expect(log.ticks).toEqual([0, 1, 10, 100, 1000]);
  expect([0, 1000].map(log.atY)).toEqual([222, 22]);
  expect(log.atY(9)).toBe(round(222 - 200 / Math.log10(1001)));
});

test('a position has one decimal', () => {
  expect([1.04, 1.05, -1.26].map(round)).toEqual([1, 1.1, -1.3]);
});
