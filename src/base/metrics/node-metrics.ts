import type { Counter, Histogram, MetricRegistry } from './registry.ts';

/** Counts and times the calls of one method. */
type RequestMeter = {
  /** `isError`: the response was an error. */
  record(seconds: number, isError: boolean): void;
};

/** Returns a function that creates a meter for a method of an endpoint. Create meters with the routes; unknown methods share one, `other`. */
export function createRequestMeters(registry: MetricRegistry): (endpoint: string, method: string) => RequestMeter {
  const counter = registry.counters('serac_api_requests_total', 'Calls answered, by endpoint, method and outcome.');
  const histogram = registry.histograms('serac_api_request_seconds', 'Time to answer a call, by endpoint.', latencyBounds);
  return (endpoint, method) => {
    const ok: Counter = counter({ endpoint, method, outcome: 'ok' });
    const error: Counter = counter({ endpoint, method, outcome: 'error' });
    const latency: Histogram = histogram({ endpoint });
    return {
      record(seconds, isError) {
        (isError ? error : ok).add(1);
        latency.observe(seconds);
      },
    };
  };
}

/** Histogram bounds in seconds, from a cached response to a client's timeout. */
export const latencyBounds: readonly number[] = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
];

/** Values of one chain at the time of the scrape. */
type ChainReading = {
  readonly chain: string;
  readonly height: bigint;
  readonly mempoolTxs: number;
  readonly mempoolBytes: number;
  /** Since the process started. */
  readonly acceptedBlocks: number;
  readonly acceptedTxs: number;
};

export type ProcessReading = {
  readonly residentBytes: number;
  /** JavaScript objects and what they hold, garbage that is not collected yet included. */
  readonly heapBytes: number;
  readonly cpuSeconds: number;
  readonly startUnixSeconds: number;
  /** How late timers run; absent if not measured. */
  readonly eventLoopLagSeconds?: number | undefined;
};

type MetricReadings = {
  readonly chains: () => readonly ChainReading[];
  readonly storeBytes: () => number | bigint;
  readonly failingChecks: () => number;
  readonly process: () => ProcessReading;
};

/** How far a follower is behind its node at the time of the scrape. */
export type FollowReading = { readonly chain: string; readonly height: bigint; readonly lagBlocks: bigint; readonly lagSeconds: number };

/** Registers the lag of followers; without one there are no samples. */
export function registerFollowReadings(registry: MetricRegistry, read: () => readonly FollowReading[]): void {
  for (const [type, name, help, key] of followRows)
    registry.addReading(type, name, help, () => read().map((reading) => [{ chain: reading.chain }, reading[key]] as const));
}

/** Registers the bytes of the caches of this process and their limit. */
export function registerCacheReadings(registry: MetricRegistry, usage: () => { readonly used: number; readonly max: number }): void {
  registry.addReading(
    'gauge',
    'serac_cache_bytes',
    'Bytes of the entries of all caches, without pages of the database.',
    () => usage().used,
  );
  registry.addReading('gauge', 'serac_cache_max_bytes', 'Most bytes that these entries may have (--cache-bytes).', () => usage().max);
}

/** Registers the metrics of the process. The `process_` names are Prometheus conventions. */
export function registerProcessReadings(registry: MetricRegistry, process: () => ProcessReading): void {
  for (const [type, name, help, key] of processRows) registry.addReading(type, name, help, () => process()[key]);
}

/** Registers the metrics whose values are read at each scrape. */
export function registerReadings(registry: MetricRegistry, { chains, storeBytes, failingChecks, process }: MetricReadings): void {
  for (const [type, name, help, key] of chainRows)
    registry.addReading(type, name, help, () => chains().map((reading) => [{ chain: reading.chain }, reading[key]] as const));
  registry.addReading('gauge', 'serac_store_bytes', 'Size of the store.', storeBytes);
  registry.addReading('gauge', 'serac_health_checks_failing', 'Health checks that failed when they last ran.', failingChecks);
  registerProcessReadings(registry, process);
}

type ReadingRow<K> = readonly [type: 'counter' | 'gauge', name: string, help: string, key: K];

const chainRows: readonly ReadingRow<Exclude<keyof ChainReading, 'chain'>>[] = [
  ['gauge', 'serac_chain_height', 'Height of the last accepted block.', 'height'],
  ['gauge', 'serac_mempool_transactions', 'Transactions waiting for a block.', 'mempoolTxs'],
  ['gauge', 'serac_mempool_bytes', 'Bytes of the transactions waiting for a block.', 'mempoolBytes'],
  ['counter', 'serac_blocks_accepted_total', 'Blocks accepted since the start.', 'acceptedBlocks'],
  ['counter', 'serac_transactions_accepted_total', 'Transactions accepted since the start.', 'acceptedTxs'],
];

const followRows: readonly ReadingRow<'lagBlocks' | 'lagSeconds'>[] = [
  ['gauge', 'serac_follow_lag_blocks', 'Blocks of the followed node that are not stored yet.', 'lagBlocks'],
  ['gauge', 'serac_follow_lag_seconds', 'Seconds since all blocks of the followed node were stored.', 'lagSeconds'],
];

const processRows: readonly ReadingRow<keyof ProcessReading>[] = [
  ['gauge', 'process_resident_memory_bytes', 'Resident memory size in bytes.', 'residentBytes'],
  ['gauge', 'process_heap_bytes', 'Size of the JavaScript heap in bytes, with garbage that is not collected yet.', 'heapBytes'],
  ['counter', 'process_cpu_seconds_total', 'Total user and system CPU time spent in seconds.', 'cpuSeconds'],
  ['gauge', 'process_start_time_seconds', 'Start time of the process since unix epoch in seconds.', 'startUnixSeconds'],
  ['gauge', 'serac_event_loop_lag_seconds', 'How late the event loop runs its timers.', 'eventLoopLagSeconds'],
];
