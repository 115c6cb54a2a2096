import type { Progress } from './progress-bar.ts';

/** Starts measuring work: returns a function that computes its progress (rate and remaining time) from how much is done. */
export function startProgress(now: () => number, unit = 'blocks'): (counts: { readonly done: number; readonly total: number }) => Progress {
  const startedAt = now();
  let first: number | undefined;
  return ({ done, total }) => {
    first ??= done;
    const blocksPerSecond = ((done - first) * 1000) / Math.max(now() - startedAt, 1);
    const eta = blocksPerSecond > 0 ? (total - done) / blocksPerSecond : undefined;
    return { done: BigInt(done), total: BigInt(total), blocksPerSecond, txsPerSecond: undefined, eta, unit };
  };
}
