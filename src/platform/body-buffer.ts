import type { BodyBudget } from './body-budget.ts';
import { bodyFragmented, bodyOverBudget, bodyTooLarge } from './serve.ts';

/** Collects the chunks of one body in a single buffer that grows by doubling and is charged to a budget. */
export type BodyBuffer = {
  /** Copies a chunk. Throws if the body has become too long, comes in too many small chunks, or the budget is used up. */
  readonly add: (chunk: Uint8Array) => void;
  readonly whole: () => Uint8Array;
  /** Gives back to the budget what was taken; the body must not be used any more. */
  readonly release: () => void;
};

export function createBodyBuffer(max: number, budget: BodyBudget): BodyBuffer {
  let bytes: Uint8Array = empty;
  let limit = max;
  let size = 0;
  let chunks = 0;

  const grow = (needed: number): void => {
    const capacity = Math.min(max, Math.max(needed, bytes.length * 2, smallest));
    if (!budget.take(capacity - bytes.length)) throw bodyOverBudget();
    const larger = Buffer.allocUnsafeSlow(capacity);
    larger.set(bytes.subarray(0, size));
    bytes = larger;
  };

  return {
    add: (chunk) => {
      const needed = size + chunk.length;
      if (needed > limit) throw bodyTooLarge(max);
      if (++chunks > freeChunks && needed < chunks * averageChunk) throw bodyFragmented();
      if (needed > bytes.length) grow(needed);
      bytes.set(chunk, size);
      size = needed;
    },
    whole: () => bytes.subarray(0, size),
    release: () => {
      budget.give(bytes.length);
      bytes = empty;
      size = 0;
      // Whoever answers before the whole body is there has no use for the rest.
      limit = -1;
    },
  };
}

const empty = new Uint8Array(0);
const smallest = 4096;

/** A chunk costs about a microsecond whatever it holds: a body in more chunks than the first must have the second as their average size. */
const freeChunks = 16_384;
const averageChunk = 16;
