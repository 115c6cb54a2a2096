import { describe, expect, test } from 'bun:test';
import { recordTime } from '../../../test/figure.ts';
import { runsOf } from './lines-plot.tsx';
import { thin } from './plot.tsx';
import { scalePlot, ticksUpTo } from './plot-scale.ts';
import { squarify, withFloor } from './squarify.ts';
import { stack } from './stacked-plot.tsx';
import { limitItems, type TreemapItem } from './treemap.tsx';

describe('squarify', () => {
  test('a floor: of 55 transactions of which 30 move nearly all, each has a cell that can be seen', () => {
    const areas = [...Array(30).fill(1e12), ...Array(25).fill(1e6)];
    const shown = (floored: readonly number[]) => squarify(floored, 1152, 330).filter(({ width, height }) => Math.min(width, height) >= 6);
    expect(shown(areas)).toHaveLength(30);
    expect(shown(withFloor(areas, 1152, 330))).toHaveLength(55);
    // Cells above the floor keep their proportions.
    const [first = 0, second = 0] = withFloor([2e6, 1e6, 1], 1152, 330);
    expect(first / second).toBeCloseTo(2);
    expect(shown(withFloor(Array(600).fill(1), 1152, 330))).toHaveLength(600);
  });

  test('cells have their share of the area, stay inside and do not overlap', () => {
    const areas = [60, 25, 9, 3, 2, 1];
    const cells = squarify(areas, 200, 100);
    expect(cells).toHaveLength(areas.length);
    for (const { index, x, y, width, height } of cells) {
      expect(width * height).toBeCloseTo((areas[index] as number) * 200, 6);
      expect(Math.min(x, y)).toBeGreaterThanOrEqual(-1e-9);
      expect(x + width).toBeLessThanOrEqual(200 + 1e-6);
      expect(y + height).toBeLessThanOrEqual(100 + 1e-6);
    }
    for (const a of cells)
      for (const b of cells)
        if (a.index < b.index) {
          const overlapX = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
          const overlapY = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
          expect(Math.min(overlapX, overlapY)).toBeLessThanOrEqual(1e-6);
        }
  });

  test('nothing to show gives no cells', () => {
    expect(squarify([], 100, 100)).toEqual([]);
    expect(squarify([1], 0, 100)).toEqual([]);
  });

  test('ten thousand cells', () => {
    const areas = Array.from({ length: 10_000 }, (_, at) => 10_000 - at);
    const start = performance.now();
    expect(squarify(areas, 1152, 330)).toHaveLength(10_000);
    recordTime('layout of ten thousand cells', start, 500);
  });
});

test('a treemap merges the smallest items beyond its limit', () => {
  const items = Array.from({ length: 1000 }, (_, at): TreemapItem => ({ key: String(at), area: at + 1, color: 1, lines: [], label: '' }));
  const shown = limitItems(items);
  expect(shown).toHaveLength(600);
  expect(shown.reduce((sum, { area }) => sum + area, 0)).toBe(500_500);
  expect(shown.find(({ key }) => key === 'more')?.lines).toEqual(['+401 more']);
});

test('ticks start at zero, end at or above the largest value, and are few', () => {
  for (const max of [0, 0.06, 1, 7, 38, 412, 585, 1e6]) {
    const ticks = ticksUpTo(max);
    expect(ticks[0]).toBe(0);
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(max);
    expect(ticks.length).toBeLessThanOrEqual(5);
  }
  expect(ticksUpTo(38)).toEqual([0, 20, 40]);
});

test('a plot begins at zero and ends at the last value and the last tick, also on a logarithmic axis', () => {
  for (const isLog of [false, true]) {
    const { ticks, base, plotWidth, atX, atY } = scalePlot({ width: 260, height: 146, first: 10, last: 30, max: 38, isLog });
    expect([plotWidth, base]).toEqual([200, 122]);
    expect([atX(10), atX(20), atX(30)]).toEqual([52, 152, 252]);
    expect([atY(0), atY(ticks.at(-1) as number)]).toEqual([122, 22]);
    expect(atY(20)).toBe(isLog ? 56 : 72);
  }
  expect(scalePlot({ width: 260, height: 146, first: 5, last: 5, max: 1 }).atX(5)).toBe(52);
});

test('thinning keeps the extremes of every pixel column', () => {
  const points = Array.from({ length: 10_000 }, (_, x) => ({ x, y: x === 7777 ? 99 : Math.sin(x) }));
  const kept = thin(points, 100);
  expect(kept.length).toBeLessThanOrEqual(200);
  expect(kept.some(({ y }) => y === 99)).toBe(true);
});

test('layers are stacked', () => {
  expect(
    stack([
      { word: 'a', color: 1, values: [1, 2] },
      { word: 'b', color: 2, values: [3, 0] },
    ]),
  ).toEqual([
    [1, 2],
    [4, 2],
  ]);
});

test('a line has a gap where there is no value', () => {
  expect(runsOf([null, 1, 2, null, null, 3])).toEqual([
    { first: 1, values: [1, 2] },
    { first: 5, values: [3] },
  ]);
  expect(runsOf([0, 0])).toEqual([{ first: 0, values: [0, 0] }]);
  expect(runsOf([null])).toEqual([]);
});
