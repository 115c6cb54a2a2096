import type { Majority } from './accepted-frontiers.ts';

/** How far a chain is behind what most of the stake has accepted. */
export type MajorityLag = {
  /** The greatest height that the majority has had in any reading. */
  readonly majorityHeight: bigint;
  /** Milliseconds since the majority may have had a block that this node has not accepted. */
  readonly milliseconds: number;
};

type MajorityLagMeter = {
  /** Takes a reading; call it at regular intervals. `now` is of the clock that `heardAt` of a majority is of. */
  readonly observe: (majority: Majority, ownHeight: bigint, now: number) => void;
  /** Undefined while this node has all that the majority has, and hears from it. */
  readonly read: (now: number) => MajorityLag | undefined;
};

/** Heights that are kept. After so many the last one is raised, so a chain that is further behind has a lag that is too long, never one too short. */
const maxHeights = 1024;

/** Milliseconds without answers of the majority after which this node does not know what the majority has. */
const maxSilence = 5000;

/**
 * Measures for how long the majority has had a block that this node lacks. A chain that follows closely is always a block behind for a moment,
 * so the height alone tells nothing: only a block that stays out of reach does. What the majority accepted while it was not heard, because the
 * network was silent or this process stopped, counts from when it was last heard.
 */
export function createMajorityLagMeter(): MajorityLagMeter {
  /** Since when the majority may have had each height that this node has not reached, lowest height first. */
  const ahead: { height: bigint; readonly since: number }[] = [];
  let latest = 0n;
  /** That of the reading before, while a new one is taken: a height that is new now may have been there since then. */
  let heardAt: number | undefined;
  return {
    observe: (majority, ownHeight, now) => {
      while (ahead[0] !== undefined && ahead[0].height <= ownHeight) ahead.shift();
      if (majority.height > latest) latest = majority.height;
      const last = ahead.at(-1);
      if (majority.height > (last?.height ?? ownHeight)) {
        if (last === undefined || ahead.length < maxHeights) ahead.push({ height: majority.height, since: heardAt ?? now });
        else last.height = majority.height;
      }
      heardAt = majority.heardAt;
    },
    read: (now) => {
      const isSilent = heardAt !== undefined && now - heardAt > maxSilence;
      const since = ahead[0]?.since ?? (isSilent ? heardAt : undefined);
      return since === undefined ? undefined : { majorityHeight: latest, milliseconds: now - since };
    },
  };
}
