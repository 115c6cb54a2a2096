import { describe, expect, test } from 'bun:test';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { createBenchList, defaultBenchRules } from './bench-list.ts';

const node = (index: number) => index.toString(16).padStart(2, '0').repeat(20) as NodeId;
const listOf = (weights: Record<string, bigint>) =>
  createBenchList(defaultBenchRules, {
    of: (id) => weights[id] ?? 0n,
    total: () => Object.values(weights).reduce((sum, weight) => sum + weight, 0n),
  });
const [big, a, b, c] = [1, 2, 3, 4].map(node) as [NodeId, NodeId, NodeId, NodeId];

describe('bench list', () => {
  test('a small validator is benched after two failures from a fresh state, for five minutes', () => {
    const list = listOf({ [big]: 1000n, [a]: 1n });
    // The first failure makes exactly one half, which is not above it.
    expect(list.observe(a, true, 0)).toEqual([]);
    expect(list.observe(a, true, 1)).toEqual([{ node: a, isBenched: true }]);
    expect([list.isBenched(a), list.nextDeadline()]).toEqual([true, 300_001]);
    expect(list.expire(300_000)).toEqual([]);
    expect(list.expire(300_001)).toEqual([{ node: a, isBenched: false }]);
    // It starts fresh: one failure does not bench it again.
    expect(list.observe(a, true, 300_002)).toEqual([]);
  });
  test('answers release it below a fifth of failures: two in ten are not below', () => {
    const list = listOf({ [big]: 1000n, [a]: 1n });
    list.observe(a, true, 0);
    list.observe(a, true, 0);
    const changes = Array.from({ length: 8 }, () => list.observe(a, false, 0).length);
    expect(changes).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
    expect(list.benched()).toEqual([]);
  });
  test('a validator with a fifth of the stake is never benched, nor a node without stake', () => {
    const list = listOf(Object.fromEntries([1, 2, 3, 4, 5].map((index) => [node(index), 100n])));
    for (let time = 0; time < 50; time++) expect([list.observe(a, true, time), list.observe(node(9), true, time)]).toEqual([[], []]);
  });
  test('beyond a twelfth of the stake, nodes that fail less make room', () => {
    const list = listOf({ [big]: 1000n, [a]: 50n, [b]: 50n, [c]: 50n });
    for (const benched of [a, a]) list.observe(benched, true, 0);
    expect(list.benched()).toEqual([a]);
    // The limit is 95 of 1150. After the same failures b does not fail more than a.
    list.observe(b, true, 0);
    expect(list.observe(b, true, 0)).toEqual([]);
    expect(list.observe(b, true, 0)).toEqual([
      { node: a, isBenched: false },
      { node: b, isBenched: true },
    ]);
  });
});
