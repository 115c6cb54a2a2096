import type { BodyBudget } from './body-budget.ts';
import { bodyFragmented, bodyOverBudget, bodyTooLarge } from './serve.ts';

/** Collects the chunks of one body in a few blocks that are charged to a budget: tiny chunks fill a block together. */
export type BodyBuffer = {
  /** Copies a chunk. Throws if the body has become too long, comes in too many small chunks, or the budget is used up. */
  readonly add: (chunk: Uint8Array) => void;
  readonly whole: () => Uint8Array;
  /** Gives back to the budget what was taken; the body must not be used any more. */
  readonly release: () => void;
};

export function createBodyBuffer(max: number, budget: BodyBudget): BodyBuffer {
  const full: Uint8Array[] = [];
  let block: Uint8Array = empty;
  /** Bytes of the last block that are used, of the body, and of all blocks. */
  let used = 0;
  let size = 0;
  let capacity = 0;
  let limit = max;
  let chunks = 0;

  const addBlock = (needed: number): void => {
    const length = Math.min(limit - size, Math.max(needed, smallestBlock, Math.min(capacity, largestBlock)));
    if (!budget.take(length)) throw bodyOverBudget();
    capacity += length;
    if (used > 0) full.push(block.subarray(0, used));
    block = Buffer.allocUnsafeSlow(length);
    used = 0;
  };

  const copy = (chunk: Uint8Array): void => {
    block.set(chunk, used);
    used += chunk.length;
    size += chunk.length;
  };

  return {
    add: (chunk) => {
      if (size + chunk.length > limit) throw bodyTooLarge(max);
      if (++chunks > freeChunks && size + chunk.length < chunks * averageChunk) throw bodyFragmented();
      const room = block.length - used;
      if (chunk.length <= room) return copy(chunk);
      copy(chunk.subarray(0, room));
      addBlock(chunk.length - room);
      copy(chunk.subarray(room));
    },
    whole: () => (full.length === 0 ? block.subarray(0, used) : Buffer.concat([...full, block.subarray(0, used)], size)),
    release: () => {
      budget.give(capacity);
      capacity = 0;
      full.length = 0;
      block = empty;
      used = 0;
      // A handler may answer before the whole body has arrived: later chunks are not stored.
      limit = -1;
    },
  };
}

const empty = new Uint8Array(0);

/** Bytes of the first block, and of the largest: each is as large as all before it together. */
const smallestBlock = 4096;
const largestBlock = 65_536;

/** A chunk costs about a microsecond whatever it holds: a body in more chunks than the first must have the second as their average size. */
const freeChunks = 16_384;
const averageChunk = 16;
