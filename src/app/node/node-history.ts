import type { LiveBucket, LiveReads } from '../../api/rest/live-reads.ts';
import type { Id } from '../../base/bytes/id.ts';
import { createValueHistory, sampleSeconds, type ValueHistory } from '../../base/metrics/value-history.ts';
import type { NodeChains } from './node-chain.ts';
import type { NodeCore } from './node-core.ts';
import type { Contribution } from './parts.ts';

/** What is sampled of each chain. The process is sampled with it. */
const kinds = {
  txs: 'counter',
  blocks: 'counter',
  bytes: 'counter',
  issued: 'counter',
  refused: 'counter',
  dropped: 'counter',
  issuedAccepted: 'counter',
  latency: 'counter',
  cpuSeconds: 'counter',
  mempoolTxs: 'gauge',
  residentBytes: 'gauge',
} as const;

type Values = Readonly<Record<keyof typeof kinds, number>>;
type History = ValueHistory<keyof typeof kinds>;

/** The last 24 hours of a node, by the real clock. */
export type NodeHistory = Contribution & { readonly of: (chainID: Id) => LiveReads['history'] };

/**
 * Samples counters of the chains and of the process every five seconds, so that a page that is opened later can show what happened: some 40 µs,
 * whatever the load. Without `--public-api`, callers see CPU time, memory and health checks too.
 */
export function startNodeHistory({ config, env, lifecycles, accepted, health }: NodeCore, chains: NodeChains): NodeHistory {
  const now = (): number => Number(env.clock.unixNanos()) / 1e9;
  const startTime = now();
  const histories = new Map<Id, History>(chains.map(({ spec }) => [spec.id, createValueHistory(kinds)]));
  const sample = (): void => {
    const time = now();
    const { residentBytes, cpuSeconds } = env.process();
    for (const { spec, pendingTxs } of chains) {
      const { issued, refused, dropped, accepted: issuedAccepted, latency } = lifecycles.of(spec.id).totals();
      histories.get(spec.id)?.sample(time, {
        ...accepted(spec.id),
        issued,
        refused,
        dropped,
        issuedAccepted,
        latency,
        cpuSeconds,
        mempoolTxs: pendingTxs().txs,
        residentBytes,
      });
    }
  };
  sample();
  let cancel = (): void => {};
  /** The next sample is at a multiple of five seconds, so that every bucket gets one. */
  const schedule = (): void => {
    cancel = env.timers.after((sampleSeconds - (now() % sampleSeconds)) * 1000, () => {
      sample();
      schedule();
    });
  };
  schedule();

  const shown = ({ cpuSeconds, residentBytes, ...values }: Values): LiveBucket['values'] =>
    config.publicApi ? values : { ...values, cpuSeconds, residentBytes };
  const listChecks = () => health.since().map(([name, since]) => [name, Number(since / 1_000_000_000n)] as const);
  return {
    of: (chainID) => async (window, asked) => {
      const { bucketSeconds, buckets } = (histories.get(chainID) as History).list(now(), window, asked);
      return {
        now: Math.floor(now()),
        startTime: Math.floor(startTime),
        bucketSeconds,
        buckets: buckets.map(({ start, seconds, values }) => ({ start, seconds, values: shown(values) })),
        checks: config.publicApi || !config.apis.health ? null : listChecks(),
      };
    },
    close: () => cancel(),
  };
}
