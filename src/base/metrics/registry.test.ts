import { describe, expect, test } from 'bun:test';
import { formatMetrics, sumFamilies } from './family.ts';
import { createRequestMeters, latencyBounds, registerReadings } from './node-metrics.ts';
import { createMetricRegistry, maxSeries } from './registry.ts';

test('counters and labels, in the Prometheus text format', () => {
  const registry = createMetricRegistry();
  const calls = registry.counters('calls_total', 'Calls,\nby \\ route.');
  calls({ route: 'b' }).add(2);
  calls({ route: 'a "quoted"\\\n' }).add(1);
  calls({ route: 'b' }).add(3);
  registry.counters('alone_total', 'One.')({}).add(1);
  registry.counters('silent_total', 'Never used.');
  expect(formatMetrics(registry.families())).toBe(
    [
      '# HELP alone_total One.',
      '# TYPE alone_total counter',
      'alone_total 1',
      '# HELP calls_total Calls,\\nby \\\\ route.',
      '# TYPE calls_total counter',
      'calls_total{route="b"} 5',
      'calls_total{route="a \\"quoted\\"\\\\\\n"} 1',
      '',
    ].join('\n'),
  );
});

test('histogram buckets are cumulative, and a value equal to a bound is in its bucket', () => {
  const registry = createMetricRegistry();
  const handle = registry.histograms('seconds', 'Time.', [0.1, 1])({ route: 'a' });
  for (const value of [0.1, 0.5, 0.25, 7]) handle.observe(value);
  expect(formatMetrics(registry.families())).toBe(
    [
      '# HELP seconds Time.',
      '# TYPE seconds histogram',
      'seconds_bucket{route="a",le="0.1"} 1',
      'seconds_bucket{route="a",le="1"} 3',
      'seconds_bucket{route="a",le="+Inf"} 4',
      'seconds_sum{route="a"} 7.85',
      'seconds_count{route="a"} 4',
      '',
    ].join('\n'),
  );
});

test('beyond the limit new label values share one series, and existing ones keep theirs', () => {
  const registry = createMetricRegistry();
  const calls = registry.counters('calls_total', 'Calls.');
  for (let at = 0; at < maxSeries + 500; at++) calls({ method: `m${at}` }).add(1);
  calls({ method: 'm0' }).add(1);
  const [family] = registry.families();
  expect(family?.samples.length).toBe(maxSeries + 1);
  expect(family?.samples.find(([series]) => series === '{method="other"}')?.[1]).toBe(500);
  expect(family?.samples.find(([series]) => series === '{method="m0"}')?.[1]).toBe(2);
});

describe('the node', () => {
  const registry = createMetricRegistry();
  const meter = createRequestMeters(registry);
  const height = { value: 2n ** 60n };
  registerReadings(registry, {
    chains: () => [{ chain: 'X', height: height.value, mempoolTxs: 2, mempoolBytes: 500, acceptedBlocks: 7, acceptedTxs: 9 }],
    storeBytes: () => 4096,
    failingChecks: () => 0,
    process: () => ({ residentBytes: 1e6, heapBytes: 2e5, cpuSeconds: 1.5, startUnixSeconds: 1_794_703_706 }),
  });

  test('counts calls by outcome and times them by endpoint', () => {
    const getHeight = meter('X', 'avm.getHeight');
    getHeight.record(0.00004, false);
    getHeight.record(3, true);
    const text = formatMetrics(registry.families());
    expect(text).toContain('serac_api_requests_total{endpoint="X",method="avm.getHeight",outcome="ok"} 1\n');
    expect(text).toContain('serac_api_requests_total{endpoint="X",method="avm.getHeight",outcome="error"} 1\n');
    expect(text).toContain('serac_api_request_seconds_bucket{endpoint="X",le="0.00005"} 1\n');
    expect(text).toContain(`serac_api_request_seconds_bucket{endpoint="X",le="${latencyBounds.at(-1)}"} 1\n`);
    expect(text).toContain('serac_api_request_seconds_count{endpoint="X"} 2\n');
  });

  test('reads values at each scrape, exactly', () => {
    expect(formatMetrics(registry.families())).toContain('serac_chain_height{chain="X"} 1152921504606846976\n');
    height.value++;
    const text = formatMetrics(registry.families());
    expect(text).toContain('serac_chain_height{chain="X"} 1152921504606846977\n');
    expect(text).toContain('process_cpu_seconds_total 1.5\n');
    expect(text).toContain('process_heap_bytes 200000\n');
    expect(text).toContain('serac_store_bytes 4096\n');
    expect(text).not.toContain('serac_event_loop_lag_seconds');
  });
});

test('sumFamilies adds counters, histograms and gauges', () => {
  const processOf = (calls: number, clients: number) => {
    const registry = createMetricRegistry();
    registry.counters('calls_total', 'Calls.')({ route: 'a' }).add(calls);
    registry.addReading('gauge', 'clients', 'Clients.', () => clients);
    registry.histograms('seconds', 'Time.', [1])({}).observe(calls);
    return registry.families();
  };
  const other = createMetricRegistry();
  other.counters('calls_total', 'Calls.')({ route: 'b' }).add(1);
  expect(formatMetrics(sumFamilies([processOf(1, 10), processOf(4, 9), other.families()]))).toBe(
    [
      '# HELP calls_total Calls.',
      '# TYPE calls_total counter',
      'calls_total{route="a"} 5',
      'calls_total{route="b"} 1',
      '# HELP clients Clients.',
      '# TYPE clients gauge',
      'clients 19',
      '# HELP seconds Time.',
      '# TYPE seconds histogram',
      'seconds_bucket{le="1"} 1',
      'seconds_bucket{le="+Inf"} 2',
      'seconds_sum 5',
      'seconds_count 2',
      '',
    ].join('\n'),
  );
});
