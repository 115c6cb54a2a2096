import { expect, test } from 'bun:test';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { createAverager } from './averager.ts';
import { stakesOf, type ValidatorSet } from './validators.ts';

test('an observation loses half of its weight in each half-life', () => {
  const { observe, read } = createAverager(8, 1000, 0);
  expect(read()).toBe(8);
  observe(2, 1000);
  // Weights 1 and a half.
  expect(read()).toBeCloseTo((2 + 4) / 1.5, 10);
  observe(0, 2000);
  expect(read()).toBeCloseTo((0 + 1 + 2) / 1.75, 10);
  observe(7, 2000);
  expect(read()).toBeCloseTo((7 + 0 + 1 + 2) / 2.75, 10);
});

test('an older observation counts as if it had come in time', () => {
  const [inTime, late] = [createAverager(8, 1000, 0), createAverager(8, 1000, 0)];
  for (const [value, at] of [[2, 1000] as const, [4, 3000] as const]) inTime.observe(value, at);
  for (const [value, at] of [[4, 3000] as const, [2, 1000] as const]) late.observe(value, at);
  expect(late.read()).toBeCloseTo(inTime.read(), 10);
});

test('stakes are those of the current set; the total is computed again for a new set only', () => {
  const [a, b, c] = ['a', 'b', 'c'] as unknown as [NodeId, NodeId, NodeId];
  let set: Map<NodeId, bigint> = new Map([
    [a, 5n],
    [b, 7n],
  ]);
  let sums = 0;
  const counted = (from: Map<NodeId, bigint>): ValidatorSet =>
    Object.assign(new Map(from), {
      values: () => {
        sums++;
        return from.values();
      },
    });
  let current = counted(set);
  const stakes = stakesOf(() => current);
  expect([stakes.of(a), stakes.of(c), stakes.total(), stakes.total(), sums]).toEqual([5n, 0n, 12n, 12n, 1]);
  set = new Map([[c, 1n]]);
  current = counted(set);
  expect([stakes.of(a), stakes.of(c), stakes.total(), sums, stakes.publicKey(a)]).toEqual([0n, 1n, 1n, 2, undefined]);
});
