import type { BatchLimit } from './ready-blocks.ts';

const smallestShare = 1 / 64;

/**
 * How many blocks are stored in one database transaction. A commit that fails, for example because a busy database does not answer within the
 * timeout, is tried again with half of them, so that a slow database is slow but not stuck.
 */
export function createBatchSize(max: BatchLimit) {
  let share = 1;
  return {
    limit: (): BatchLimit => ({ txs: Math.ceil(max.txs * share), bytes: Math.ceil(max.bytes * share) }),
    onStored: (): void => {
      share = Math.min(1, share * 2);
    },
    onFailed: (): void => {
      share = Math.max(smallestShare, share / 2);
    },
  };
}
