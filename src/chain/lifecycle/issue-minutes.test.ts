import { expect, test } from 'bun:test';
import { createIssueMinutes } from './issue-minutes.ts';

const second = 1_000_000_000n;
const start = 1_700_000_040n;
const at = (seconds: number): bigint => (start + BigInt(seconds)) * second;

test('drops are counted by minute and stage; minutes without any are left out', () => {
  const minutes = createIssueMinutes();
  for (const [seconds, stage] of [
    [0, 'refused'],
    [59, 'refused'],
    [59, 'dropped'],
    [180, 'refused'],
  ] as const)
    minutes.addDrop(at(seconds), stage);
  expect(minutes.list(at(190))).toEqual([
    { start: Number(start), refused: 2, dropped: 1, latency: undefined },
    { start: Number(start) + 180, refused: 1, dropped: 0, latency: undefined },
  ]);
});

test('minutes older than an hour are left out, and their slots are used again', () => {
  const minutes = createIssueMinutes();
  minutes.addDrop(at(0), 'refused');
  expect(minutes.list(at(59 * 60))).toHaveLength(1);
  expect(minutes.list(at(60 * 60))).toEqual([]);
  minutes.addDrop(at(60 * 60), 'dropped');
  expect(minutes.list(at(60 * 60))).toEqual([{ start: Number(start) + 3600, refused: 0, dropped: 1, latency: undefined }]);
  // A clock that was set back: what is in the future is not shown.
  expect(minutes.list(at(0))).toEqual([]);
});

test('percentiles are within 5 % of the exact ones, at any scale', () => {
  for (const scale of [0.1, 3, 700]) {
    const minutes = createIssueMinutes();
    const values = Array.from({ length: 2000 }, (_, i) => scale * (1 + ((i * 7919) % 2000) / 100));
    for (const value of values) minutes.addLatency(at(0), value);
    const sorted = values.toSorted((a, b) => a - b);
    const latency = minutes.list(at(0))[0]?.latency;
    expect(latency?.count).toBe(2000);
    expect(latency?.max).toBe(sorted.at(-1) as number);
    for (const [name, share] of [
      ['p50', 0.5],
      ['p90', 0.9],
      ['p99', 0.99],
    ] as const) {
      const exact = sorted[Math.floor(share * 2000)] as number;
      expect(Math.abs((latency?.[name] as number) / exact - 1)).toBeLessThan(0.05);
    }
  }
});

test('durations outside the buckets are counted, and no percentile is above the maximum', () => {
  const minutes = createIssueMinutes();
  minutes.addLatency(at(0), 0);
  expect(minutes.list(at(0))[0]?.latency).toEqual({ count: 1, p50: 0, p90: 0, p99: 0, max: 0 });
  minutes.addLatency(at(60), 3_600_000);
  expect(minutes.list(at(60))[1]?.latency).toEqual({ count: 1, p50: 3_600_000, p90: 3_600_000, p99: 3_600_000, max: 3_600_000 });
});

test('a revert clears the latencies and keeps the drops', () => {
  const minutes = createIssueMinutes();
  minutes.addLatency(at(0), 5);
  minutes.addDrop(at(0), 'dropped');
  minutes.addLatency(at(60), 5);
  minutes.clearLatencies();
  expect(minutes.list(at(60))).toEqual([{ start: Number(start), refused: 0, dropped: 1, latency: undefined }]);
});
