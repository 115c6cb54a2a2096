import { expect, test } from 'bun:test';
import { zeroId } from '../../base/bytes/id.ts';
import { encodeOpenBuckets } from '../index/open-buckets.ts';
import { bucketUnits, indexTablesOf } from '../index/tables.ts';
import { tablesOf } from '../state/schema.ts';
import type { Query } from '../store/queries.ts';
import { createBucketReads } from './read-buckets.ts';

test('active addresses of several windows are sums of seconds, hours and days, read in one statement, and no address is counted singly', () => {
  const { totals } = createBucketReads({ ...tablesOf(1), ...indexTablesOf(1) }, zeroId);
  const [hour, before] = [1_699_999_200, 1_699_902_000];
  const [nextDay, dayBefore] = [1_700_006_400, 1_699_920_000];
  const times = [hour + 800, before + 1600, 1_690_000_000, 1];
  for (const metric of ['activeAddresses', 'activeSenders'] as const) {
    const steps = totals(metric, times);
    const [query, ...others] = (steps.next().value ?? []) as readonly Query[];
    expect(others).toEqual([]);
    expect([...new Set(query?.text.match(/FROM \w+/g))]).toEqual(['FROM c1_active']);
    // The seconds up to the next hour, the hours up to the next day, then the days up to those of the window before.
    expect(query?.values.slice(0, 12)).toEqual([
      ...[hour + 800, hour + 3600, hour + 3600, nextDay, nextDay, 2 ** 52],
      ...[before + 1600, before + 3600, before + 3600, dayBefore, dayBefore, nextDay],
    ]);
    const counts = { part0: 1, days0: 10, part1: 2, days1: 20, part2: 3, days2: 30, part3: 4, days3: 40 };
    // Of each window all later days, and the part of the day that it begins in.
    expect(steps.next([[counts]])).toEqual({ done: true, value: [11, 32, 63, 104] });
  }
});

test('totals are of the block that was read first, whatever is stored between two statements', () => {
  const { totals } = createBucketReads({ ...tablesOf(1), ...indexTablesOf(1) }, zeroId);
  const hour = 1_699_999_200;
  const counts = { txs: 1, blocks: 1, active: 1, senders: 1, addresses: 1, fees: 0n, maxTps: 1, last: hour + 10 };
  const bucket = (start: number) => ({ start, counts });
  const open = encodeOpenBuckets({
    buckets: { hour: bucket(hour), day: bucket(hour - 79_200), week: bucket(hour - 165_600), month: bucket(hour - 1_202_400) },
    minute: { start: hour, txs: 1, fees: 0n, maxTps: 1 },
    second: { time: hour + 10, txs: 1, previousTime: hour - 50 },
  });
  const steps = totals('txs', [hour - 7200]);
  expect(steps.next().value).toHaveLength(1);
  const ranges = steps.next([[{ height: 7, open_buckets: open, first_hour: hour - 7200 }]]).value as readonly Query[];
  expect(new Set(ranges.map(({ text }) => text)).size).toBe(1);
  // The hour that was open has ended since, and the next one too: their rows are found.
  const row = (start: number, txs: number) => ({ ...counts, start, txs, fees: new Uint8Array(16), max_tps: 1 });
  const rows = [row(hour - 7200, 10), row(hour - 3600, 100), row(hour, 1000), row(hour + 3600, 5000)];
  const isHours = ({ values }: Query) => values[0] === bucketUnits.hour;
  const found = ranges.map((query) =>
    isHours(query) ? rows.filter(({ start }) => start >= Number(query.values[1]) && start < Number(query.values[2])) : [],
  );
  expect(ranges.filter(isHours).length).toBeGreaterThan(0);
  expect(steps.next(found)).toEqual({ done: true, value: [111] });
});
