import type { Majority } from './accepted-frontiers.ts';
import { createHeightsAhead } from './heights-ahead.ts';

/** How far a chain is behind what most of the stake has accepted. */
export type MajorityLag = {
  /** The greatest height that the majority has had in any reading. */
  readonly majorityHeight: bigint;
  /** For how many milliseconds the majority may have had a block that this node has not accepted. */
  readonly milliseconds: number;
};

type MajorityLagMeter = {
  /** Takes a reading; call it at regular intervals. `now` is of the clock that `heardAt` of a majority is of. */
  readonly observe: (majority: Majority, ownHeight: bigint, now: number) => void;
  /** Undefined while this node has all that the majority has, and hears from it. */
  readonly read: (now: number) => MajorityLag | undefined;
};

/** Heights of the majority that are kept. */
const maxHeights = 1024;

/** After so many milliseconds without answers of the majority this node no longer knows what the majority has. */
const maxSilence = 5000;

/**
 * Measures for how long the majority has had a block that this node lacks. A chain that follows closely is always a block behind for a moment,
 * so it does not matter how many blocks are missing, but for how long. While the network is silent, or this process is stopped, this node does not hear
 * what the majority accepts: those blocks count from when it last heard.
 */
export function createMajorityLagMeter(): MajorityLagMeter {
  const ahead = createHeightsAhead(maxHeights);
  let latest = 0n;
  /** That of the reading before, while a new one is taken: a height that is new now may have been there since then. */
  let heardAt: number | undefined;
  return {
    observe: (majority, ownHeight, now) => {
      ahead.forget(ownHeight);
      if (majority.height > latest) latest = majority.height;
      if (majority.height > ownHeight) ahead.add(majority.height, heardAt ?? now);
      heardAt = majority.heardAt;
    },
    read: (now) => {
      const isSilent = heardAt !== undefined && now - heardAt > maxSilence;
      const since = ahead.since() ?? (isSilent ? heardAt : undefined);
      return since === undefined ? undefined : { majorityHeight: latest, milliseconds: now - since };
    },
  };
}
