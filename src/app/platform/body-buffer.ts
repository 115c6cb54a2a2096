import type { BodyBudget } from './body-budget.ts';
import { bodyFragmentedError, bodyOverBudgetError, bodyTooLargeError } from './serve.ts';

/**
 * Collects the chunks of one request body in a few blocks of memory, so that tiny chunks share a block. The servers (bun/serve.ts, node/serve.ts) create one
 * for each body; their memory is counted in a budget that all bodies of a server share.
 */
export type BodyBuffer = {
  /** Copies a chunk. Throws if the body is too long, arrives in too many small chunks, or the budget is exhausted. */
  readonly add: (chunk: Uint8Array) => void;
  readonly toBytes: () => Uint8Array;
  /** Returns the memory to the budget. The body must not be used afterwards. */
  readonly release: () => void;
};

export function createBodyBuffer(max: number, budget: BodyBudget): BodyBuffer {
  const fullBlocks: Uint8Array[] = [];
  let block: Uint8Array = empty;
  /** In bytes: used part of the last block, body so far, all blocks. */
  let used = 0;
  let size = 0;
  let capacity = 0;
  /** Bytes that the body may have; below 0 after `release`. */
  let limit = max;
  let chunks = 0;

  const addBlock = (needed: number): void => {
    const length = Math.min(limit - size, Math.max(needed, smallestBlock, Math.min(capacity, largestBlock)));
    if (!budget.tryTake(length)) throw bodyOverBudgetError();
    capacity += length;
    if (used > 0) fullBlocks.push(block.subarray(0, used));
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
      if (size + chunk.length > limit) throw bodyTooLargeError(max);
      if (++chunks > maxUncheckedChunks && size + chunk.length < chunks * minAverageChunk) throw bodyFragmentedError();
      const free = block.length - used;
      if (chunk.length <= free) return copy(chunk);
      copy(chunk.subarray(0, free));
      addBlock(chunk.length - free);
      copy(chunk.subarray(free));
    },
    toBytes: () => (fullBlocks.length === 0 ? block.subarray(0, used) : Buffer.concat([...fullBlocks, block.subarray(0, used)], size)),
    release: () => {
      budget.giveBack(capacity);
      capacity = 0;
      fullBlocks.length = 0;
      block = empty;
      used = 0;
      // A handler may respond before the whole body has arrived: later chunks are rejected.
      limit = -1;
    },
  };
}

const empty = new Uint8Array(0);

/** Block sizes in bytes. Each block doubles the capacity, up to `largestBlock`. */
const smallestBlock = 4096;
const largestBlock = 65_536;

/** A chunk costs about a microsecond, however small. A body with more chunks than `maxUncheckedChunks` must have this average chunk size, in bytes. */
const maxUncheckedChunks = 16_384;
const minAverageChunk = 16;
