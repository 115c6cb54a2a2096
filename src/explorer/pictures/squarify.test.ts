import { expect, test } from 'bun:test';
import { type Cell, squarify, withFloor } from './squarify.ts';

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const areaOf = ({ width, height }: Cell): number => width * height;

/** Whether two cells share more than an edge. */
const overlap = (a: Cell, b: Cell): boolean =>
  Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x) > 1e-6 &&
  Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y) > 1e-6;

test('cells have their share of the picture, fill it, and do not overlap', () => {
  for (const [width, height] of [
    [200, 100],
    [100, 200],
    [300, 30],
  ] as const)
    for (const areas of [[5], [3, 1], [9, 7, 5, 3, 3, 2, 1, 1, 1], Array.from({ length: 40 }, (_, at) => 40 - at)]) {
      const cells = squarify(areas, width, height);
      expect(cells.map(({ index }) => index)).toEqual(areas.map((_, at) => at));
      for (const [at, cell] of cells.entries()) {
        expect(areaOf(cell)).toBeCloseTo(((areas[at] as number) / sum(areas)) * width * height, 4);
        expect(cell.x >= -1e-6 && cell.y >= -1e-6 && cell.x + cell.width <= width + 1e-6 && cell.y + cell.height <= height + 1e-6).toBe(
          true,
        );
        expect(cells.some((other, i) => i !== at && overlap(cell, other))).toBe(false);
      }
    }
});

test('the example of the paper is laid out as there', () => {
  const shown = squarify([6, 6, 4, 3, 2, 2, 1], 6, 4).map(({ x, y, width, height }) =>
    [x, y, width, height].map((value) => Math.round(value * 100) / 100),
  );
  expect(shown).toEqual([
    [0, 0, 3, 2],
    [0, 2, 3, 2],
    [3, 0, 1.71, 2.33],
    [4.71, 0, 1.29, 2.33],
    [3, 2.33, 1.2, 1.67],
    [4.2, 2.33, 1.2, 1.67],
    [5.4, 2.33, 0.6, 1.67],
  ]);
});

test('nothing is laid out without areas or room', () => {
  for (const cells of [squarify([], 9, 9), squarify([0], 9, 9), squarify([1], 0, 9), squarify([1], 9, 0), squarify([1], -1, 9)])
    expect(cells).toEqual([]);
  expect(squarify([1], 1, 1)).toEqual([{ index: 0, x: 0, y: 0, width: 1, height: 1 }]);
});

test('every cell is seen: small areas have the floor of 144 pixels, the others share the rest', () => {
  const floored = withFloor([1000, 500, 1, 1], 100, 100);
  expect(floored.slice(2)).toEqual([144, 144]);
  expect(sum(floored)).toBeCloseTo(10_000, 6);
  expect((floored[0] as number) / (floored[1] as number)).toBeCloseTo(2, 6);
  // Cells at the floor take at most half of the picture.
  const many = withFloor([1e6, ...Array.from({ length: 999 }, () => 1)], 100, 100);
  expect([many[1], sum(many.slice(1)) <= 5000, sum(many)]).toEqual([5, true, 10_000]);
  expect(withFloor([3, 1], 100, 100)).toEqual([7500, 2500]);
  expect([withFloor([0, 0], 10, 10), withFloor([1], 0, 10), withFloor([], 10, 10)]).toEqual([[0, 0], [1], []]);
});
