import { expect, test } from 'bun:test';
import { addSample, type SyncSample, syncRate } from './sync-rate.ts';

const samples = (...rows: readonly (readonly [at: number, height: number, lagBlocks: number])[]): readonly SyncSample[] =>
  rows.reduce<readonly SyncSample[]>((all, [at, height, lagBlocks]) => addSample(all, { at, height, lagBlocks }), []);

test('one sample tells neither rate nor time left', () => {
  expect(syncRate(samples([0, 10, 90]))).toEqual({ rate: undefined, left: undefined });
});

test('the time left follows from how fast the lag shrinks, not from the blocks alone', () => {
  expect(syncRate(samples([0, 100, 1000], [5, 600, 600], [10, 1100, 200]))).toEqual({ rate: 100, left: 2.5 });
});

test('a lag that grows has no end', () => {
  expect(syncRate(samples([0, 100, 10], [10, 120, 30]))).toEqual({ rate: 2, left: undefined });
});

test('the last minute counts, and a lower height starts again', () => {
  const many = samples(...Array.from({ length: 30 }, (_, i) => [i * 5, i * 50, 10_000 - i] as const));
  expect(many).toHaveLength(12);
  expect(addSample(many, { at: 200, height: 3, lagBlocks: 1 })).toHaveLength(1);
});
