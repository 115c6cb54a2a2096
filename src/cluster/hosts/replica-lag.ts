import { isAtLeast, type ReadPosition } from './read-position.ts';

/** Measures how far replicas are behind: how long ago the primary had the first thing that a replica does not have. */
export type ReplicaLag = {
  /** Adds what the primary has now. */
  readonly add: (position: ReadPosition) => void;
  /** Milliseconds that a replica with this position is behind; 0 if it has everything, infinite if it lacks what the primary had at first. */
  readonly of: (position: ReadPosition) => number;
};

/** Positions of the primary that are remembered: at one a second, more than the longest lag that a flag allows. */
const maxSamples = 4000;

/** `now`: milliseconds of a clock that never goes back. */
export function createReplicaLag(now: () => number): ReplicaLag {
  const samples: { readonly at: number; readonly position: ReadPosition }[] = [];
  return {
    add: (position) => {
      const last = samples[samples.length - 1];
      // What the primary had before it lost commits is no measure.
      if (last !== undefined && !isAtLeast(position, last.position)) samples.length = 0;
      if (last !== undefined && isAtLeast(last.position, position)) return;
      // How long the primary has had its first position is not known: a replica without it may be days behind.
      samples.push({ at: samples.length === 0 ? Number.NEGATIVE_INFINITY : now(), position });
      if (samples.length > maxSamples) samples.shift();
    },
    of: (position) => {
      const missing = samples.find((sample) => !isAtLeast(position, sample.position));
      return missing === undefined ? 0 : now() - missing.at;
    },
  };
}
