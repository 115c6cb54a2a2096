import type { MetricRegistry } from '../../base/metrics/registry.ts';
import {
  type ChainMetricRow,
  nanosPerMillisecond,
  registerChainHistogram,
  registerChainRows,
  registerDecisionMetrics,
} from '../../chain/lifecycle/decision-metrics.ts';
import type { EngineCounters } from '../consensus/engine-counters.ts';
import type { JoinedChain } from './joined-chain.ts';

type Row = ChainMetricRow<JoinedChain>;
type Values = ReturnType<Row[3]>;

const voteTexts = {
  unneeded: 'Votes for a processing block.',
  succeeded: 'Votes for a block with a processing ancestor.',
  failed: 'Votes for a block without a known processing ancestor.',
  dropped: 'Votes for a block that is decided.',
};

/** Consensus of a chain beside what it decides, with AvalancheGo's names: snow/consensus/snowman/metrics.go, snow/engine/snowman/metrics.go, poll/set.go. */
const snowmanRows: readonly Row[] = [
  ['gauge', 'requests', 'Blocks that peers were asked for.', (chain) => chain.engine()?.blockRequests],
  ['gauge', 'blocked', 'Blocks that wait to be issued.', (chain) => chain.engine()?.pendingBlocks],
  ['gauge', 'blockers', 'Blocks that other blocks or votes wait for.', (chain) => chain.engine()?.missingBlocks],
  ['gauge', 'non_verified_blks', 'Unverified blocks in memory.', (chain) => chain.engine()?.unverifiedBlocks],
  ['gauge', 'polls', 'Open polls.', (chain) => chain.engine()?.openPolls],
  ['gauge', 'max_verified_height', 'Highest verified height.', ({ counters }) => counters.maxVerifiedHeight],
  [
    'counter',
    'blks_issued',
    'Blocks issued to consensus, by where they came from.',
    ({ counters }) => Object.entries(counters.issued).map(([source, value]) => [{ source }, value] as const),
  ],
  ['counter', 'blks_polls_accepted_count', 'Accepted blocks.', ({ counters }) => counters.accepted],
  ['gauge', 'blks_polls_accepted_sum', 'Polls from issuing blocks to accepting them.', ({ counters }) => counters.acceptedPolls],
  ['counter', 'blks_polls_rejected_count', 'Rejected blocks.', ({ counters }) => counters.rejected],
  ['gauge', 'blks_polls_rejected_sum', 'Polls from issuing blocks to rejecting them.', ({ counters }) => counters.rejectedPolls],
  ['counter', 'poll_count', 'Ended polls, by reason.', ({ counters }) => pollEnds(counters, ({ count }) => count)],
  [
    'gauge',
    'poll_duration',
    'Nanoseconds that ended polls were open, by reason.',
    ({ counters }) => pollEnds(counters, ({ duration }) => duration * nanosPerMillisecond),
  ],
  ['counter', 'poll_duration_count', 'Ended polls.', ({ counters }) => sumPolls(counters, ({ count }) => count)],
  [
    'gauge',
    'poll_duration_sum',
    'Nanoseconds that ended polls were open.',
    ({ counters }) => sumPolls(counters, ({ duration }) => duration * nanosPerMillisecond),
  ],
  ['counter', 'polls_successful', 'Polls with a majority.', ({ counters }) => counters.pollsSuccessful],
  ['counter', 'polls_failed', 'Polls without a majority.', ({ counters }) => counters.pollsFailed],
  ['counter', 'num_useless_put_bytes', 'Bytes of blocks received in Put that were known.', ({ counters }) => counters.uselessPutBytes],
  [
    'counter',
    'num_useless_push_query_bytes',
    'Bytes of blocks received in PushQuery that were known.',
    ({ counters }) => counters.uselessPushQueryBytes,
  ],
  ...(['unneeded', 'succeeded', 'failed', 'dropped'] as const).map(
    (outcome): Row => [
      'counter',
      `num_processing_ancestor_fetches_${outcome}`,
      voteTexts[outcome],
      ({ counters }) => counters.voteOutcomes[outcome],
    ],
  ),
  ['counter', 'selected_vote_index_count', 'Votes that were counted.', ({ counters }) => counters.votes],
  ['gauge', 'selected_vote_index_sum', 'Indices of the counted votes in their answers, summed.', ({ counters }) => counters.voteIndices],
  ['counter', 'issuer_stake_count', 'Blocks issued to consensus.', ({ counters }) => sumIssued(counters)],
  ['gauge', 'issuer_stake_sum', 'Stake of the nodes that sent issued blocks, summed.', ({ counters }) => counters.issuerStake],
  [
    'counter',
    'num_missing_accepted_blocks',
    'Queries about an accepted height whose block is not stored.',
    ({ counters }) => counters.missingAccepted,
  ],
  ['counter', 'bs_fetched', 'Blocks fetched while bootstrapping.', (chain) => chain.bootstrap().fetched],
  ['counter', 'bs_accepted', 'Blocks accepted while bootstrapping.', (chain) => chain.bootstrap().executed],
  ['counter', 'get_ancestors_blks_count', 'Answers with ancestors.', (chain) => chain.served().answers],
  ['gauge', 'get_ancestors_blks_sum', 'Blocks in answers with ancestors.', (chain) => chain.served().blocks],
];

/** Gossip of transactions, with AvalancheGo's names: network/p2p/gossip/gossip.go, vms/avm/network. */
const gossipRows: readonly Row[] = [
  ['counter', 'tx_gossip_count', 'Gossiped transactions.', (chain) => amounts(chain, 'count')],
  ['counter', 'tx_gossip_bytes', 'Bytes of gossiped transactions.', (chain) => amounts(chain, 'bytes')],
  [
    'gauge',
    'tx_gossip_tracking',
    'Transactions that this node pushes.',
    (chain) => Object.entries(chain.gossip.counters().tracking).map(([type, value]) => [{ type }, value] as const),
  ],
  ['gauge', 'mempool_count', 'Transactions in the mempool.', (chain) => chain.gossip.counters().pooled],
  ['gauge', 'tx_gossip_throttle_limit', 'Pull requests that a validator may send per hour.', (chain) => chain.gossip.counters().pullLimit],
  ['gauge', 'mempool_bloom_filter_count', 'Transactions in the filter.', (chain) => chain.gossip.counters().filter.count],
  [
    'gauge',
    'mempool_bloom_filter_max_count',
    'Transactions at which the filter is replaced.',
    (chain) => chain.gossip.counters().filter.max,
  ],
  ['gauge', 'mempool_bloom_filter_hashes', 'Hashes of the filter.', (chain) => chain.gossip.counters().filter.hashes],
  ['gauge', 'mempool_bloom_filter_entries', 'Bytes of the filter.', (chain) => chain.gossip.counters().filter.entries],
  ['counter', 'mempool_bloom_filter_reset_count', 'How often the filter was replaced.', (chain) => chain.gossip.counters().filter.resets],
];

/** The stake of the chain's validators, with AvalancheGo's names: snow/engine/common/tracker/peers.go. */
const stakeRows: readonly Row[] = [
  ['gauge', 'num_validators', 'Validators.', (chain) => chain.stake().validators],
  ['gauge', 'total_weight', 'Stake of all validators.', (chain) => chain.stake().weight],
  ['gauge', 'percent_connected', 'Share of the stake that is connected.', (chain) => chain.networking().percentConnected],
];

/** What AvalancheGo does not count. */
const seracRows: readonly Row[] = [
  [
    'counter',
    'gossip_received_transactions_total',
    'Transactions of peers, by what became of them.',
    (chain) => Object.entries(chain.gossip.counters().received).map(([outcome, value]) => [{ outcome }, value] as const),
  ],
  ['gauge', 'bootstrap_blocks_per_second', 'Blocks executed per second while bootstrapping.', (chain) => chain.bootstrap().blocksPerSecond],
  ['gauge', 'bootstrap_tip_height', 'The height that bootstrapping will reach.', (chain) => chain.bootstrap().tipHeight],
];

const groups: readonly (readonly [prefix: string, rows: readonly Row[]])[] = [
  ['avalanche_snowman_', snowmanRows],
  ['avalanche_avm_', gossipRows],
  ['avalanche_stake_', stakeRows],
  ['serac_', seracRows],
];

/** Registers what joined chains count; `alias` is the value of the label `chain`. */
export function registerChainMetrics(
  registry: MetricRegistry,
  chains: () => readonly (readonly [alias: string, chain: JoinedChain])[],
): void {
  registerDecisionMetrics(registry, chains);
  for (const [prefix, rows] of groups) registerChainRows(registry, prefix, rows, chains);
  registerChainHistogram(
    registry,
    'avalanche_avm_tx_gossip_bloomfilter_hit_rate',
    'Percentage of the mempool that the filter of a pull request contains.',
    chains,
    (chain) => chain.gossip.counters().hitRates,
  );
}

type PollRow = EngineCounters['polls']['exhausted'];

const pollEnds = ({ polls }: EngineCounters, read: (row: PollRow) => number): Values =>
  Object.entries(polls).map(([reason, row]) => [{ reason }, read(row)] as const);

const sumIssued = ({ issued }: EngineCounters): number => Object.values(issued).reduce((sum, value) => sum + value, 0);

const sumPolls = ({ polls }: EngineCounters, read: (row: PollRow) => number): number =>
  Object.values(polls).reduce((sum, row) => sum + read(row), 0);

function amounts(chain: JoinedChain, key: 'count' | 'bytes'): Values {
  const { sentPush, sentPull, receivedPush, receivedPull } = chain.gossip.counters();
  return [
    [{ io: 'sent', type: 'push' }, sentPush[key]],
    [{ io: 'sent', type: 'pull' }, sentPull[key]],
    [{ io: 'received', type: 'push' }, receivedPush[key]],
    [{ io: 'received', type: 'pull' }, receivedPull[key]],
  ];
}
