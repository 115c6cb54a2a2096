import type { BatchLimit } from './ready-blocks.ts';

/**
 * How many blocks are stored in one database transaction. A commit that fails, for example because a busy database does not answer within the
 * timeout, is tried again with half of them, so that a slow database is slow but not stuck.
 */
type BatchSize = {
  readonly limit: () => BatchLimit;
  readonly onStored: () => void;
  readonly onFailed: () => void;
};

const smallestShare = 1 / 64;

export function createBatchSize(max: BatchLimit): BatchSize {
  let share = 1;
  return {
    limit: () => ({ txs: Math.ceil(max.txs * share), bytes: Math.ceil(max.bytes * share) }),
    onStored: () => {
      share = Math.min(1, share * 2);
    },
    onFailed: () => {
      share = Math.max(smallestShare, share / 2);
    },
  };
}
