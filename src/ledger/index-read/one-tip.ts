import type { IndexReads } from './index-reads.ts';

/** Attempts before a result is returned although a block was added meanwhile: only a chain with very fast blocks needs so many. */
const maxAttempts = 10;

/**
 * Runs `work` again if a block was added meanwhile. For reads that must agree with each other and are not as of a block: each sees the newest
 * state, and another process may commit a block between two of them.
 */
export async function atOneTip<T>({ tip, newestTip }: Pick<IndexReads, 'tip' | 'newestTip'>, work: () => Promise<T>): Promise<T> {
  let before = await tip();
  for (let attempt = 1; ; attempt++) {
    const result = await work();
    const after = await newestTip();
    if (after.id === before.id || attempt === maxAttempts) return result;
    before = after;
  }
}
