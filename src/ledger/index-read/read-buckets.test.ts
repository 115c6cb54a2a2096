import { expect, test } from 'bun:test';
import { zeroId } from '../../base/bytes/id.ts';
import type { Query } from '../index/steps.ts';
import { indexTablesOf } from '../index/tables.ts';
import { tablesOf } from '../state/schema.ts';
import { createBucketReads } from './read-buckets.ts';

test('active addresses of several windows are sums of seconds and hours, read in one statement, and no address is counted singly', () => {
  const { totals } = createBucketReads({ ...tablesOf(1), ...indexTablesOf(1) }, zeroId);
  const [hour, before] = [1_699_999_200, 1_699_988_400];
  const times = [hour + 800, before + 1600, 1_690_000_000, 1];
  for (const metric of ['activeAddresses', 'activeSenders'] as const) {
    const steps = totals(metric, times);
    const [query, ...others] = (steps.next().value ?? []) as readonly Query[];
    expect(others).toEqual([]);
    expect([...new Set(query?.text.match(/FROM \w+/g))]).toEqual(['FROM c1_active']);
    // The seconds up to the next hour, then the hours up to those of the window before: at most 3,600 rows for the part of an hour.
    expect(query?.values.slice(0, 8)).toEqual([
      ...[hour + 800, hour + 3600, hour + 3600, 2 ** 52],
      ...[before + 1600, before + 3600, before + 3600, hour + 3600],
    ]);
    const counts = { part0: 1, hours0: 10, part1: 2, hours1: 20, part2: 3, hours2: 30, part3: 4, hours3: 40 };
    // Of each window all later hours, and the part of the hour that it begins in.
    expect(steps.next([[counts]])).toEqual({ done: true, value: [11, 32, 63, 104] });
  }
});
