import { expect, test } from 'bun:test';
import { createLatencies } from './latencies.ts';

test('summarizes the last durations', () => {
  const latencies = createLatencies(100);
  expect(latencies.summary()).toEqual({ count: 0, p50: 0, p90: 0, p99: 0, max: 0 });
  for (let i = 0; i < 50; i++) latencies.add(1_000_000);
  for (let i = 100; i > 0; i--) latencies.add(i);
  expect(latencies.summary()).toEqual({ count: 100, p50: 51, p90: 91, p99: 100, max: 100 });
  latencies.clear();
  latencies.add(7);
  expect(latencies.summary()).toEqual({ count: 1, p50: 7, p90: 7, p99: 7, max: 7 });
});
