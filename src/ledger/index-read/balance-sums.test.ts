import { expect, test } from 'bun:test';
import { addChange, type HeightChanges, pickSums, sumsFrom } from './balance-sums.ts';

const changesOf = (rows: readonly (readonly [number, number])[]): HeightChanges => {
  const changes: HeightChanges = new Map();
  for (const [height, amount] of rows) addChange(changes, height, { amount: BigInt(amount), nfts: 0 });
  return changes;
};
const short = (sums: readonly { height: number; amount: bigint }[]) => sums.map(({ height, amount }) => [height, Number(amount)]);

test('changes of one height are added, and a sum that does not change is left out', () => {
  const changes = changesOf([
    [7, 5],
    [3, 10],
    [7, -2],
    [9, 4],
    [9, -4],
  ]);
  expect(short(sumsFrom(changes, undefined, 20))).toEqual([
    [3, 10],
    [7, 13],
  ]);
});

test('a range begins with the sum at its start and ends at its end', () => {
  const changes = changesOf([
    [3, 10],
    [5, 1],
    [8, 2],
    [12, 4],
  ]);
  expect(short(sumsFrom(changes, 6, 8))).toEqual([
    [6, 11],
    [8, 13],
  ]);
  expect(short(sumsFrom(changes, 1, 3))).toEqual([[3, 10]]);
  expect(sumsFrom(changes, undefined, 2)).toEqual([]);
});

test('a sample has the exact sums at evenly spaced heights, the first and the last included', () => {
  const changes = changesOf(Array.from({ length: 100 }, (_, i) => [i + 1, i + 1] as const));
  const all = sumsFrom(changes, undefined, 100);
  const picked = pickSums(all, 100, 5);
  expect(picked.map(({ height }) => height)).toEqual([1, 25, 50, 75, 100]);
  for (const one of picked) expect(one.amount).toBe(all[one.height - 1]?.amount as bigint);
  expect(pickSums(all, 100, 100)).toEqual(all);
});
