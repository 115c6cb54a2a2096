import { expect, test } from 'bun:test';
import { metricValue, parseProcessMetrics } from './process-metrics.ts';

const text = `# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes 72204288
process_start_time_seconds 1794763742.13984
serac_follow_lag_blocks{chain="X"} 12
serac_follow_lag_blocks_more 5
`;

test('reads figures of the process', () =>
  expect(parseProcessMetrics(text)).toEqual({ residentBytes: 72_204_288, cpuSeconds: undefined, startTime: 1_794_763_742.13984 }));

test('reads a metric with labels', () => {
  expect(metricValue(text, 'serac_follow_lag_blocks')).toBe(12);
  expect(metricValue(text, 'serac_follow')).toBeUndefined();
});
