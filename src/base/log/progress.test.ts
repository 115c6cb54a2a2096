import { expect, test } from 'bun:test';
import { formatDuration, formatProgressBar, formatProgressLine } from './progress.ts';

const half = { done: 1_234_567n, total: 2_469_134n, blocksPerSecond: 812.4, txsPerSecond: 5120, eta: 1519 };

test('the progress bar fits into the width of the terminal', () => {
  expect(formatProgressBar(half, 100)).toBe(
    ' 50% [############............] 1,234,567/2,469,134 blocks  812 blocks/s 5,120 tx/s  ETA 25 min 19 s',
  );
  expect(formatProgressBar(half, 100)).toHaveLength(100);
  for (let columns = 10; columns < 200; columns++) expect(formatProgressBar(half, columns).length).toBeLessThanOrEqual(columns);
});

test('an unknown total or remaining time is shown as ?', () => {
  const unknown = { done: 12n, total: undefined, blocksPerSecond: 0, txsPerSecond: 0, eta: undefined };
  expect(formatProgressLine(unknown)).toBe('12 blocks (?%), 0 blocks/s 0 tx/s, ETA ?');
  expect(formatProgressBar(unknown, 60)).toContain('[.');
});

test('100% and a full bar are shown only when everything is done', () => {
  expect(formatProgressLine({ ...half, done: 999_999n, total: 1_000_000n })).toContain('(99%)');
  expect(formatProgressBar({ ...half, done: 5n, total: 5n, eta: 0 }, 80)).toMatch(/^100% \[#+\] 5\/5 blocks .* done$/);
  expect(formatProgressLine({ ...half, done: 0n, total: 0n, eta: 0 })).toContain('(100%)');
});

test('durations are shown in their two largest units', () => {
  expect([0, 12.4, 60, 250, 7500, 90_000, 273_600].map(formatDuration)).toEqual([
    '0 s',
    '12 s',
    '1 min 0 s',
    '4 min 10 s',
    '2 h 5 min',
    '1 d 1 h',
    '3 d 4 h',
  ]);
});
