import { isAtLeast, type ReadPosition } from './read-position.ts';

/** Positions of the primary that are remembered: at one a second, more than the longest lag that a flag allows. */
const maxSamples = 4000;

/**
 * Measures how far replicas are behind: how long ago the primary had the first thing that a replica does not have. `now`: milliseconds of a clock
 * that never goes back. Used by `createHostSelection`.
 */
export function createReplicaLag(now: () => number) {
  const samples: { readonly at: number; readonly position: ReadPosition }[] = [];
  return {
    /** Adds what the primary has now. */
    add: (position: ReadPosition): void => {
      // How long the primary has had its first position is not known: a replica without it may be days behind.
      let at = samples.length === 0 ? Number.NEGATIVE_INFINITY : now();
      // What the primary has lost is no measure. What it still has of that, it had at that time at the latest.
      for (let last = samples.at(-1); last !== undefined && !isAtLeast(position, last.position); last = samples.at(-1)) {
        at = last.at;
        samples.pop();
      }
      const last = samples.at(-1);
      if (last !== undefined && isAtLeast(last.position, position)) return;
      samples.push({ at, position });
      if (samples.length > maxSamples) samples.shift();
    },
    /** Milliseconds that a replica with this position is behind; 0 if it has everything, infinite if it lacks what the primary had at first. */
    of: (position: ReadPosition): number => {
      const missing = samples.find((sample) => !isAtLeast(position, sample.position));
      return missing === undefined ? 0 : now() - missing.at;
    },
  };
}
