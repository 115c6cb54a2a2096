import { createBuckets } from '../../base/metrics/buckets.ts';
import type { PollEnd } from '../snowman/polls.ts';
import type { VoteOutcome } from '../snowman/votes.ts';
import type { BlockSource } from './unissued-blocks.ts';

/** What an engine counts since it started; AvalancheGo's names are in joined-chain/chain-metrics.ts. */
export type EngineCounters = ReturnType<typeof createEngineCounters>;

/** Nanoseconds. AvalancheGo: snow/consensus/snowman/metrics.go, consensus_latencies. */
const latencyBounds = [1e9, 2e9, 3e9, 4e9];

export const createEngineCounters = () => ({
  /** Blocks that were added to consensus. */
  issued: { pull_gossip: 0, push_gossip: 0, built: 0, unknown: 0 } satisfies Record<BlockSource, number>,
  /** Stake of the nodes that sent issued blocks, summed. */
  issuerStake: 0,
  maxVerifiedHeight: 0n,

  accepted: 0,
  acceptedBytes: 0,
  /** Milliseconds from issuing a block to its decision, summed. */
  acceptedLatency: 0,
  /** Nanoseconds from issuing a block to its decision, per accepted block. */
  acceptedLatencies: createBuckets(latencyBounds),
  /** Polls from issuing a block to its decision, summed. */
  acceptedPolls: 0,
  /** Milliseconds from the time of a block to its acceptance, summed. */
  acceptedAge: 0,
  rejected: 0,
  rejectedBytes: 0,
  rejectedLatency: 0,
  rejectedPolls: 0,

  pollsSuccessful: 0,
  pollsFailed: 0,
  /** Ended polls by reason, and the milliseconds they were open, summed. */
  polls: { exhausted: pollSum(), early_fail: pollSum(), early_alpha: pollSum() } satisfies Record<PollEnd, PollSum>,
  /** Options of votes, by what was found for them. */
  voteOutcomes: { unneeded: 0, succeeded: 0, failed: 0, dropped: 0 } satisfies Record<VoteOutcome, number>,
  votes: 0,
  /** The sum of the indices of the counted options in their answers. */
  voteIndices: 0,

  /** Blocks of this node. */
  built: 0,
  buildsFailed: 0,
  /** Milliseconds from the time of blocks of this node to their building, summed. */
  builtSkew: 0,

  /** Queries about an accepted height whose block is not stored. */
  missingAccepted: 0,
  uselessPutBytes: 0,
  uselessPushQueryBytes: 0,
});

type PollSum = { count: number; duration: number };
const pollSum = (): PollSum => ({ count: 0, duration: 0 });
