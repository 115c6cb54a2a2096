import type { BlockSource } from './block-requests.ts';

/** What an engine counts since it started; AvalancheGo's names are in `engine-metrics.ts`. */
export type EngineCounters = {
  built: number;
  buildsFailed: number;
  issued: Record<BlockSource, number>;
  pollsSuccessful: number;
  pollsFailed: number;
  accepted: number;
  acceptedBytes: number;
  /** Milliseconds from issuing a block to its decision, summed. */
  acceptedLatency: number;
  rejected: number;
  rejectedBytes: number;
  rejectedLatency: number;
  votesDropped: number;
  uselessPutBytes: number;
  uselessPushQueryBytes: number;
  maxVerifiedHeight: bigint;
};

export const createEngineCounters = (): EngineCounters => ({
  built: 0,
  buildsFailed: 0,
  issued: { pull_gossip: 0, push_gossip: 0, built: 0, unknown: 0 },
  pollsSuccessful: 0,
  pollsFailed: 0,
  accepted: 0,
  acceptedBytes: 0,
  acceptedLatency: 0,
  rejected: 0,
  rejectedBytes: 0,
  rejectedLatency: 0,
  votesDropped: 0,
  uselessPutBytes: 0,
  uselessPushQueryBytes: 0,
  maxVerifiedHeight: 0n,
});
