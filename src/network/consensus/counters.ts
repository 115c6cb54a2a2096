import { type Buckets, createBuckets } from '../../base/metrics/buckets.ts';
import type { PollEnd } from '../snowman/poll.ts';
import type { VoteOutcome } from '../snowman/vote-target.ts';
import type { BlockSource } from './block-requests.ts';

/** Blocks that were decided. */
export type DecisionCounters = {
  accepted: number;
  acceptedBytes: number;
  /** Milliseconds from issuing a block to its decision, summed. */
  acceptedLatency: number;
  /** The same per accepted block, in nanoseconds. */
  readonly acceptedLatencies: Buckets;
  /** Polls from issuing a block to its decision, summed. */
  acceptedPolls: number;
  /** Milliseconds from the time of a block to its acceptance, summed. */
  acceptedAge: number;
  rejected: number;
  rejectedBytes: number;
  rejectedLatency: number;
  rejectedPolls: number;
};

/** Polls and their votes. */
export type VoteCounters = {
  pollsSuccessful: number;
  pollsFailed: number;
  /** Ended polls by reason, and the milliseconds they were open, summed. */
  readonly polls: Record<PollEnd, { count: number; duration: number }>;
  /** Options of votes, by what was found for them. */
  readonly voteOutcomes: Record<VoteOutcome, number>;
  /** Counted votes, and the sum of the indices of their options. */
  votes: number;
  voteIndices: number;
};

/** Blocks of this node. */
export type BuildCounters = {
  built: number;
  buildsFailed: number;
  /** Milliseconds from the time of blocks of this node to their building, summed. */
  builtSkew: number;
};

/** What an engine counts since it started; AvalancheGo's names are in joined-chain/chain-metrics.ts. */
export type EngineCounters = DecisionCounters &
  VoteCounters &
  BuildCounters & {
    issued: Record<BlockSource, number>;
    /** Stake of the nodes that sent issued blocks, summed. */
    issuerStake: number;
    /** Queries about an accepted height whose block is not stored. */
    missingAccepted: number;
    uselessPutBytes: number;
    uselessPushQueryBytes: number;
    maxVerifiedHeight: bigint;
  };

/** Nanoseconds. AvalancheGo: snow/consensus/snowman/metrics.go, consensus_latencies. */
const latencyBounds = [1e9, 2e9, 3e9, 4e9];

export const createEngineCounters = (): EngineCounters => ({
  built: 0,
  buildsFailed: 0,
  issued: { pull_gossip: 0, push_gossip: 0, built: 0, unknown: 0 },
  pollsSuccessful: 0,
  pollsFailed: 0,
  accepted: 0,
  acceptedBytes: 0,
  acceptedLatency: 0,
  acceptedLatencies: createBuckets(latencyBounds),
  acceptedPolls: 0,
  acceptedAge: 0,
  rejected: 0,
  rejectedBytes: 0,
  rejectedLatency: 0,
  rejectedPolls: 0,
  polls: {
    exhausted: { count: 0, duration: 0 },
    early_fail: { count: 0, duration: 0 },
    early_alpha: { count: 0, duration: 0 },
  },
  voteOutcomes: { unneeded: 0, succeeded: 0, failed: 0, dropped: 0 },
  votes: 0,
  voteIndices: 0,
  issuerStake: 0,
  builtSkew: 0,
  missingAccepted: 0,
  uselessPutBytes: 0,
  uselessPushQueryBytes: 0,
  maxVerifiedHeight: 0n,
});
