import { createDecisionCounters } from '../../chain/lifecycle/decision-metrics.ts';
import type { PollEnd } from '../snowman/polls.ts';
import type { VoteOutcome } from '../snowman/votes.ts';
import type { BlockSource } from './unissued-blocks.ts';

/** What an engine counts since it started; AvalancheGo's names are in joined-chain/chain-metrics.ts. */
export type EngineCounters = ReturnType<typeof createEngineCounters>;

export const createEngineCounters = () => ({
  ...createDecisionCounters(),
  /** Blocks that were added to consensus. */
  issued: { pull_gossip: 0, push_gossip: 0, built: 0, unknown: 0 } satisfies Record<BlockSource, number>,
  /** Stake of the nodes that sent issued blocks, summed. */
  issuerStake: 0,
  maxVerifiedHeight: 0n,
  /** Polls from issuing a block to its decision, summed. */
  acceptedPolls: 0,
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

  /** Queries about an accepted height whose block is not stored. */
  missingAccepted: 0,
  uselessPutBytes: 0,
  uselessPushQueryBytes: 0,
});

type PollSum = { count: number; duration: number };
const pollSum = (): PollSum => ({ count: 0, duration: 0 });
