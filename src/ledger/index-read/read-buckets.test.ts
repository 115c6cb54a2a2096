import { expect, test } from 'bun:test';
import { zeroId } from '../../base/bytes/id.ts';
import type { Query } from '../index/steps.ts';
import { indexTablesOf } from '../index/tables.ts';
import { tablesOf } from '../state/schema.ts';
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
