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
      const last = samples[samples.length - 1];
      // What the primary had before it lost commits is no measure.
      if (last !== undefined && !isAtLeast(position, last.position)) samples.length = 0;
      if (last !== undefined && isAtLeast(last.position, position)) return;
      // How long the primary has had its first position is not known: a replica without it may be days behind.
      samples.push({ at: samples.length === 0 ? Number.NEGATIVE_INFINITY : now(), position });
      if (samples.length > maxSamples) samples.shift();
    },
    /** Milliseconds that a replica with this position is behind; 0 if it has everything, infinite if it lacks what the primary had at first. */
    of: (position: ReadPosition): number => {
      const missing = samples.find((sample) => !isAtLeast(position, sample.position));
      return missing === undefined ? 0 : now() - missing.at;
    },
  };
}
