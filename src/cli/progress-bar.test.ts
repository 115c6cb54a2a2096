import { expect, test } from 'bun:test';
import { durationWords, progressBar, progressLine } from './progress-bar.ts';

const half = { done: 1_234_567n, total: 2_469_134n, blocksPerSecond: 812.4, txsPerSecond: 5120, eta: 1519 };

test('a line for a terminal fits into its width', () => {
  expect(progressBar(half, 100)).toBe(
    ' 50% [############............] 1,234,567/2,469,134 blocks  812 blocks/s 5,120 tx/s  ETA 25 min 19 s',
  );
  expect(progressBar(half, 100)).toHaveLength(100);
  for (let columns = 10; columns < 200; columns++) expect(progressBar(half, columns).length).toBeLessThanOrEqual(columns);
});

test('what is not known is not made up', () => {
  const unknown = { done: 12n, total: undefined, blocksPerSecond: 0, txsPerSecond: 0, eta: undefined };
  expect(progressLine(unknown)).toBe('12 blocks (?%), 0 blocks/s 0 tx/s, ETA ?');
  expect(progressBar(unknown, 60)).toContain('[.');
});

test('all done is a whole bar, almost is not', () => {
  expect(progressLine({ ...half, done: 999_999n, total: 1_000_000n })).toContain('(99%)');
  expect(progressBar({ ...half, done: 5n, total: 5n, eta: 0 }, 80)).toMatch(/^100% \[#+\] 5\/5 blocks .* done$/);
  expect(progressLine({ ...half, done: 0n, total: 0n, eta: 0 })).toContain('(100%)');
});

test('durations', () => {
  expect([0, 12.4, 60, 250, 7500, 90_000, 273_600].map(durationWords)).toEqual([
    '0 s',
    '12 s',
    '1 min 0 s',
    '4 min 10 s',
    '2 h 5 min',
    '1 d 1 h',
    '3 d 4 h',
  ]);
});
