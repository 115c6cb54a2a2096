/**
 * Keeps answers from going back where an index is read from several servers. `serac api` has one; a node reads its own database, where every
 * read sees what the one before it saw.
 */
export type ReadConsistency = {
  /**
   * Waits until reads see the block at a height of the X-Chain; undefined if they do already. Rejects with DATABASE_BEHIND if no server has it.
   */
  readonly atLeast: (height: number) => Promise<void> | undefined;
  /** Called before the reads of an answer; returns a mark for `confirm`. */
  readonly begin: () => ReadMark;
  /**
   * Called after the reads of an answer and before it is sent: records what it may show. Returns false if the reads were made on several
   * servers, which may not agree; then the answer is made again. Rejects with DATABASE_BEHIND if the server has less than was served before.
   */
  readonly confirm: (mark: ReadMark) => Promise<boolean>;
  /** Whether another server is read than at the mark. */
  readonly hasChanged: (mark: ReadMark) => boolean;
  /** The height that was served last: no answer shows a later block of the X-Chain. */
  readonly height: () => number;
};

/** How often the server that is read has changed, and how many reads were made. */
export type ReadMark = { readonly changes: number; readonly reads: number };

/** The header in which a caller names a height it has seen, on this server or another: the answer is not older. */
export const minHeightHeader = 'x-serac-min-height';

/** The header of a response with the height that the caller has seen by it. Brought to another server as `minHeightHeader`, no answer goes back. */
export const heightHeader = 'x-serac-height';
