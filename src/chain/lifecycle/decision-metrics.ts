import { type Buckets, createBuckets, observeValue } from '../../base/metrics/buckets.ts';
import type { MetricReading, MetricRegistry } from '../../base/metrics/registry.ts';

/** What an engine counts since it started of the blocks that it built and decided, alone or with other nodes. */
export type DecisionCounters = ReturnType<typeof createDecisionCounters>;

/** Nanoseconds. AvalancheGo: snow/consensus/snowman/metrics.go, consensus_latencies. */
const latencyBounds = [1e9, 2e9, 3e9, 4e9];

export const createDecisionCounters = () => ({
  /** Blocks of this node. */
  built: 0,
  buildsFailed: 0,
  /** Milliseconds from the time of blocks of this node to their building, summed. */
  builtSkew: 0,

  accepted: 0,
  acceptedBytes: 0,
  /** Milliseconds from issuing a block to its decision, summed. */
  acceptedLatency: 0,
  /** Nanoseconds from issuing a block to its decision, per accepted block. */
  acceptedLatencies: createBuckets(latencyBounds),
  /** Milliseconds from the time of a block to its acceptance, summed. */
  acceptedAge: 0,
  rejected: 0,
  rejectedBytes: 0,
  rejectedLatency: 0,
});

/** Counts a decision. `latency`: milliseconds since the block was issued. */
export function countDecision(counters: DecisionCounters, kind: 'accepted' | 'rejected', bytes: number, latency: number): void {
  counters[kind]++;
  counters[`${kind}Bytes`] += bytes;
  counters[`${kind}Latency`] += latency;
  if (kind === 'accepted') observeValue(counters.acceptedLatencies, latency * nanosPerMillisecond);
}

export const nanosPerMillisecond = 1_000_000;

/** A chain whose engine decides blocks. */
export type DecidingChain = {
  readonly isBootstrapped: () => boolean;
  /** Undefined while the chain bootstraps. */
  readonly engine: () =>
    | {
        readonly processingBlocks: number;
        readonly lastAccepted: { readonly height: bigint };
        /** Unix seconds. */
        readonly lastAcceptedTime: bigint;
      }
    | undefined;
  readonly counters: DecisionCounters;
};

/** One metric of a chain; labels beside that of the chain are in the values. */
export type ChainMetricRow<Chain> = readonly [
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  read: (chain: Chain) => number | bigint | undefined | readonly (readonly [Readonly<Record<string, string>>, number | bigint])[],
];

/** Chains by the value of AvalancheGo's label `chain`. */
type ChainsByAlias<Chain> = () => readonly (readonly [alias: string, chain: Chain])[];

/** Decided blocks, with AvalancheGo's names: snow/consensus/snowman/metrics.go, snow/engine/snowman/metrics.go. */
const decisionRows: readonly ChainMetricRow<DecidingChain>[] = [
  ['gauge', 'bootstrap_finished', 'Whether the chain has bootstrapped: 1 or 0.', (chain) => (chain.isBootstrapped() ? 1 : 0)],
  ['gauge', 'blks_processing', 'Blocks that are verified and not decided.', (chain) => chain.engine()?.processingBlocks],
  ['gauge', 'last_accepted_height', 'Height of the last accepted block.', (chain) => chain.engine()?.lastAccepted.height],
  ['gauge', 'last_accepted_timestamp', 'Unix time of the last accepted block.', (chain) => chain.engine()?.lastAcceptedTime],
  ['counter', 'blks_built', 'Blocks built by this node.', ({ counters }) => counters.built],
  ['counter', 'blk_builds_failed', 'Blocks that could not be built or were not valid.', ({ counters }) => counters.buildsFailed],
  [
    'gauge',
    'blks_built_time_skew',
    'Nanoseconds from the time of built blocks to building them, summed.',
    ({ counters }) => counters.builtSkew * nanosPerMillisecond,
  ],
  ['counter', 'blks_accepted_count', 'Accepted blocks.', ({ counters }) => counters.accepted],
  [
    'gauge',
    'blks_accepted_sum',
    'Nanoseconds from issuing blocks to accepting them.',
    ({ counters }) => counters.acceptedLatency * nanosPerMillisecond,
  ],
  ['gauge', 'blks_accepted_container_size_sum', 'Bytes of accepted blocks.', ({ counters }) => counters.acceptedBytes],
  [
    'gauge',
    'blks_build_accept_latency',
    'Nanoseconds from the time of blocks to accepting them.',
    ({ counters }) => counters.acceptedAge * nanosPerMillisecond,
  ],
  ['counter', 'blks_rejected_count', 'Rejected blocks.', ({ counters }) => counters.rejected],
  [
    'gauge',
    'blks_rejected_sum',
    'Nanoseconds from issuing blocks to rejecting them.',
    ({ counters }) => counters.rejectedLatency * nanosPerMillisecond,
  ],
  ['gauge', 'blks_rejected_container_size_sum', 'Bytes of rejected blocks.', ({ counters }) => counters.rejectedBytes],
];

/** Registers what AvalancheGo counts of decided blocks. */
export function registerDecisionMetrics(registry: MetricRegistry, chains: ChainsByAlias<DecidingChain>): void {
  registerChainRows(registry, 'avalanche_snowman_', decisionRows, chains);
  registerChainHistogram(
    registry,
    'avalanche_snowman_consensus_latencies',
    'Nanoseconds from issuing a block to accepting it.',
    chains,
    ({ counters }) => counters.acceptedLatencies,
  );
}

/** Registers metrics of chains, each with the label `chain`. */
export function registerChainRows<Chain>(
  registry: MetricRegistry,
  prefix: string,
  rows: readonly ChainMetricRow<Chain>[],
  chains: ChainsByAlias<Chain>,
): void {
  for (const [type, name, help, read] of rows)
    registry.addReading(
      type,
      prefix + name,
      help,
      (): MetricReading =>
        chains().flatMap(([alias, chain]) => {
          const value = read(chain);
          if (value === undefined) return [];
          const series = typeof value === 'object' ? value : [[{}, value] as const];
          return series.map(([labels, number]) => [{ chain: alias, ...labels }, number] as const);
        }),
    );
}

export function registerChainHistogram<Chain>(
  registry: MetricRegistry,
  name: string,
  help: string,
  chains: ChainsByAlias<Chain>,
  read: (chain: Chain) => Buckets,
): void {
  registry.addHistogramReading(name, help, () => chains().map(([alias, chain]) => [{ chain: alias }, read(chain)] as const));
}
