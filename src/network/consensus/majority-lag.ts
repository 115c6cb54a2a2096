import type { Majority } from './accepted-frontiers.ts';

/** How far a chain is behind what most of the stake has accepted. */
export type MajorityLag = {
  /** The height that validators with more than half of the stake have accepted, by their last answers. */
  readonly majorityHeight: bigint;
  /** Milliseconds since the majority may have had a block that this node has not accepted. */
  readonly milliseconds: number;
};

type MajorityLagMeter = {
  /** Takes a reading; call it at regular intervals. */
  readonly observe: (majority: Majority, ownHeight: bigint, now: number) => void;
  /** Undefined while this node has all that the majority has. */
  readonly read: (now: number) => MajorityLag | undefined;
};

/** Heights of the majority that are remembered. A chain further behind than these readings counts from the oldest that is left. */
const maxReadings = 1024;

/** Milliseconds without answers of the majority after which this node does not know what the majority has. */
const maxSilence = 5000;

/**
 * Measures for how long the majority has had a block that this node lacks. A chain that follows closely is always a block behind for a moment,
 * so the height alone tells nothing: only a block that stays out of reach does. What the majority accepted while it was not heard, because the
 * network was silent or this process stopped, counts from when it was last heard.
 */
export function createMajorityLagMeter(): MajorityLagMeter {
  /** Since when the majority may have had each height that this node has not reached, lowest height first. */
  const ahead: { readonly height: bigint; readonly since: number }[] = [];
  let latest = 0n;
  let heardAt: number | undefined;
  return {
    observe: (majority, ownHeight, now) => {
      while (ahead[0] !== undefined && ahead[0].height <= ownHeight) ahead.shift();
      if (majority.height > latest) latest = majority.height;
      const last = ahead.at(-1)?.height ?? ownHeight;
      if (majority.height > last && ahead.length < maxReadings)
        ahead.push({ height: majority.height, since: Math.min(now, heardAt ?? now) });
      heardAt = majority.heardAt;
    },
    read: (now) => {
      const isSilent = heardAt !== undefined && now - heardAt > maxSilence;
      const since = ahead[0]?.since ?? (isSilent ? heardAt : undefined);
      return since === undefined ? undefined : { majorityHeight: latest, milliseconds: now - since };
    },
  };
}
