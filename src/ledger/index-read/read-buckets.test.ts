import { expect, test } from 'bun:test';
import { zeroId } from '../../base/bytes/id.ts';
import { indexTablesOf } from '../index/tables.ts';
import { tablesOf } from '../state/schema.ts';
import { createBucketReads } from './read-buckets.ts';

test('active addresses of several windows are counted in one statement, those of an hour once', () => {
  const { totals } = createBucketReads({ ...tablesOf(1), ...indexTablesOf(1) }, zeroId);
  const times = [1_700_000_000, 1_699_990_000, 1_690_000_000, 1];
  for (const metric of ['activeAddresses', 'activeSenders'] as const) {
    const steps = totals(metric, times);
    const [query, ...others] = (steps.next().value ?? []) as readonly { readonly text: string }[];
    expect(others).toEqual([]);
    expect(query?.text.match(/FROM c1_holder/g)?.length).toBe(times.length);
    const counts = { part0: 1, hours0: 10, part1: 2, hours1: 20, part2: 3, hours2: 30, part3: 4, hours3: 40 };
    // Of each window all later hours, and the part of the hour that it begins in.
    expect(steps.next([[counts]])).toEqual({ done: true, value: [11, 32, 63, 104] });
  }
});
