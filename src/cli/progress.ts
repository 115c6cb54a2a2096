import type { Progress } from './progress-bar.ts';

/** Progress of work over blocks, or whatever `unit` names, that began just now, from how many of them are done. */
export function progressSince(now: () => number, unit = 'blocks'): (blocks: { readonly done: number; readonly total: number }) => Progress {
  const began = now();
  let first: number | undefined;
  return ({ done, total }) => {
    first ??= done;
    const blocksPerSecond = ((done - first) * 1000) / Math.max(now() - began, 1);
    const eta = blocksPerSecond > 0 ? (total - done) / blocksPerSecond : undefined;
    return { done: BigInt(done), total: BigInt(total), blocksPerSecond, txsPerSecond: undefined, eta, unit };
  };
}
