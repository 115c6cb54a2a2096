import { type Buckets, createBuckets, observeValue } from '../../base/metrics/buckets.ts';
import type { BloomFilterState } from '../protocol/bloom-filter.ts';

/** What gossip counts since it started. */
export type GossipCounters = {
  readonly sentPush: Amount;
  readonly sentPull: Amount;
  readonly receivedPush: Amount;
  readonly receivedPull: Amount;
  /** Transactions of this node: not yet pushed, and pushed. */
  readonly tracking: { readonly unsent: number; readonly sent: number };
  /** Transactions of peers: added to the mempool, refused, dropped because too many waited. */
  readonly received: { readonly added: number; readonly refused: number; readonly dropped: number };
  readonly filter: BloomFilterState;
  /** Transactions in the mempool. */
  readonly pooled: number;
  /** The pull requests that one validator may send per period; 0 if no validator is connected. */
  readonly pullLimit: number;
  /** Which percentage of the mempool the filters of pull requests contained. */
  readonly hitRates: Buckets;
};

type Amount = { readonly count: number; readonly bytes: number };

type Kind = 'sentPush' | 'sentPull' | 'receivedPush' | 'receivedPull';

/** AvalancheGo: network/p2p/gossip/gossip.go, bloomfilter_hit_rate. */
const hitRateBounds = [0, 25, 50, 75];

export function createGossipCounters() {
  const hitRates = createBuckets(hitRateBounds);
  const amounts: Record<Kind, { count: number; bytes: number }> = {
    sentPush: { count: 0, bytes: 0 },
    sentPull: { count: 0, bytes: 0 },
    receivedPush: { count: 0, bytes: 0 },
    receivedPull: { count: 0, bytes: 0 },
  };
  const counter = (kind: Kind) => (items: readonly Uint8Array[]) => {
    amounts[kind].count += items.length;
    for (const { length } of items) amounts[kind].bytes += length;
  };
  return {
    sentPush: counter('sentPush'),
    sentPull: counter('sentPull'),
    receivedPush: counter('receivedPush'),
    receivedPull: counter('receivedPull'),
    /** Counts a pull request by how many transactions of the mempool its filter contains. */
    pulled: (hits: number, total: number): void => {
      if (total > 0) observeValue(hitRates, (100 * hits) / total);
    },
    read: (
      tracking: GossipCounters['tracking'],
      received: GossipCounters['received'],
      filter: GossipCounters['filter'],
      limits: Pick<GossipCounters, 'pooled' | 'pullLimit'>,
    ): GossipCounters => ({ ...amounts, tracking, received, filter, ...limits, hitRates }),
  };
}
