import { expect, test } from 'bun:test';
import type { NodeHistory } from '../../api/contract/answers.ts';
import { pointsOf } from './node-history.ts';

const end = 1_800_000_000;

/** A history with buckets of 15 s at these seconds before the end. */
const historyOf = (startTimestamp: number, ...before: number[]): NodeHistory =>
  ({
    startTimestamp,
    endTimestamp: end,
    bucketSeconds: 15,
    buckets: before.map((seconds) => ({ timestamp: end - seconds, seconds: 15, txCount: 1 })),
    checks: [{ name: 'database', since: 7 }],
  }) as unknown as NodeHistory;

test('a young node is shown from its start, but not less than five minutes', () => {
  const { start, points, checks } = pointsOf(historyOf(end - 40, 45, 30, 15), 'hour');
  expect([start, points.length]).toEqual([end - 300, 20]);
  expect(points.map((point) => point?.txCount)).toEqual([...Array(17).fill(undefined), 1, 1, 1]);
  expect(checks).toEqual({ database: 7 });
  expect(pointsOf(historyOf(end - 900, 15), 'hour').points).toHaveLength(60);
});

test('an old node is shown for the whole range; time without samples is a gap, not zero', () => {
  const { start, points } = pointsOf(historyOf(end - 1e6, 60, 15), 'hour');
  expect(start).toBe(end - 3585);
  expect(points.slice(-4).map((point) => point?.txCount)).toEqual([1, undefined, undefined, 1]);
});
