/**
 * Keeps answers from going back where an index is read from several servers. `serac api` has one; a node reads its own database, where every
 * read sees what the one before it saw.
 */
export type ReadConsistency = {
  /** Waits until reads see the block at a height of the X-Chain. Rejects with DATABASE_BEHIND if no server has it. */
  readonly atLeast: (height: number) => Promise<void>;
  /**
   * Waits until reads of the settled part see the block at a height: what no later block changes, which a server has that lacks blocks which were
   * served. Rejects with DATABASE_BEHIND if it lacks this one.
   */
  readonly settledAt: (height: number) => Promise<void>;
  /** Counts the moments since which another server may be read: reads before and after one may not agree, so an answer is made again. */
  readonly changes: () => number;
  /** The height that was served last: no answer shows a later block of the X-Chain. */
  readonly height: () => number;
};
