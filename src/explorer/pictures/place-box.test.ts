import { expect, test } from 'bun:test';
import { nearestIndex, placeBox } from './place-box.ts';

const area = { x: 50, y: 20, width: 500, height: 200 };
const size = { width: 120, height: 22 };

test('the value box is inside the plot and keeps out of the line, wherever the cursor is', () => {
  for (const lineY of [30, 120, 210])
    for (let x = 50; x <= 550; x += 25) {
      const box = placeBox(x, size, area, () => ({ top: lineY - 3, bottom: lineY + 3 }));
      expect(box.x).toBeGreaterThanOrEqual(area.x);
      expect(box.x + box.width).toBeLessThanOrEqual(area.x + area.width);
      expect(box.y >= lineY + 3 || box.y + box.height <= lineY - 3).toBe(true);
      // It does not cover the cursor either.
      expect(x <= box.x || x >= box.x + box.width).toBe(true);
    }
});

test('a line that is everywhere is kept as far away as possible', () => {
  const box = placeBox(300, size, area, () => ({ top: 30, bottom: 220 }));
  expect(box.y).toBe(22);
});

test('the nearest value', () => {
  const values = [0, 10, 20, 100];
  const nearest = (wanted: number) => nearestIndex(values.length, (at) => values[at] as number, wanted);
  expect([-5, 4, 6, 59, 61, 500].map(nearest)).toEqual([0, 0, 1, 2, 3, 3]);
});
