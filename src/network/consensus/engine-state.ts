import type { BlockRef } from '../snowman/consensus-block.ts';

/** What validators with more than half of the stake have accepted, by their last answers (accepted-frontiers.ts). */
export type Majority = {
  readonly height: bigint;
  /** When these answers were heard, in milliseconds of the timers' clock. */
  readonly heardAt: number;
};

/** What health check and metrics show of an engine. Durations in milliseconds. */
export type EngineState = {
  readonly lastAccepted: BlockRef;
  /** Unix seconds. */
  readonly lastAcceptedTime: bigint;
  readonly processingBlocks: number;
  readonly longestProcessing: number;
  readonly averageAcceptance: number;
  readonly openPolls: number;
  readonly blockRequests: number;
  readonly pendingBlocks: number;
  /** Blocks that other work waits for. */
  readonly missingBlocks: number;
  readonly unverifiedBlocks: number;
  readonly majority: Majority;
  /** Whether validators with at least half of the stake have accepted another block than this node at the same height. */
  readonly isSplit: boolean;
};
