import { expect, test } from 'bun:test';
import { formatMetrics } from '../../base/metrics/family.ts';
import { createMetricRegistry } from '../../base/metrics/registry.ts';
import { countDecision, createDecisionCounters, type DecidingChain, registerDecisionMetrics } from './decision-metrics.ts';

test('decisions are counted with their bytes and latency; accepted ones in a histogram too', () => {
  const counters = createDecisionCounters();
  countDecision(counters, 'accepted', 100, 1000);
  countDecision(counters, 'accepted', 50, 1001);
  countDecision(counters, 'accepted', 5, 9000);
  countDecision(counters, 'rejected', 7, 20);
  expect(counters).toEqual({
    ...{ built: 0, buildsFailed: 0, builtSkew: 0, accepted: 3, acceptedBytes: 155, acceptedLatency: 11_001, acceptedAge: 0 },
    acceptedLatencies: { bounds: [1e9, 2e9, 3e9, 4e9], counts: [1, 1, 0, 0, 1], sum: 11_001e6 },
    ...{ rejected: 1, rejectedBytes: 7, rejectedLatency: 20 },
  });
});

test('they are metrics with the names of AvalancheGo, times in nanoseconds', () => {
  const counters = { ...createDecisionCounters(), built: 4, buildsFailed: 1, builtSkew: 2, acceptedAge: 3 };
  countDecision(counters, 'accepted', 100, 5);
  countDecision(counters, 'rejected', 7, 6);
  const engine = { processingBlocks: 8, lastAccepted: { height: 9n }, lastAcceptedTime: 10n };
  const chains: readonly (readonly [string, DecidingChain])[] = [
    ['X', { isBootstrapped: () => true, engine: () => engine, counters }],
    ['Y', { isBootstrapped: () => false, engine: () => undefined, counters: createDecisionCounters() }],
  ];
  const registry = createMetricRegistry();
  registerDecisionMetrics(registry, () => chains);
  const lines = formatMetrics(registry.families()).split('\n');
  const numberOf = (name: string, chain: string): number | undefined => {
    const start = `avalanche_snowman_${name}{chain="${chain}"} `;
    const line = lines.find((one) => one.startsWith(start));
    return line === undefined ? undefined : Number(line.slice(start.length));
  };
  const expected = {
    ...{
      bootstrap_finished: 1,
      blks_processing: 8,
      last_accepted_height: 9,
      last_accepted_timestamp: 10,
      blks_built: 4,
      blk_builds_failed: 1,
    },
    ...{ blks_built_time_skew: 2e6, blks_accepted_count: 1, blks_accepted_sum: 5e6, blks_accepted_container_size_sum: 100 },
    ...{ blks_build_accept_latency: 3e6, blks_rejected_count: 1, blks_rejected_sum: 6e6, blks_rejected_container_size_sum: 7 },
  };
  for (const [name, value] of Object.entries(expected)) expect([name, numberOf(name, 'X')]).toEqual([name, value]);
  expect(numberOf('bootstrap_finished', 'Y')).toBe(0);
  // A chain that bootstraps has no engine.
  expect(numberOf('blks_processing', 'Y')).toBeUndefined();
  expect(numberOf('consensus_latencies_sum', 'X')).toBe(5e6);
});
