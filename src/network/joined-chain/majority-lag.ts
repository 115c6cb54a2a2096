/** How far a chain is behind what most of the stake has accepted. */
export type MajorityLag = {
  /** The height that validators with more than half of the stake have accepted, by their last answers. */
  readonly majorityHeight: bigint;
  /** Milliseconds since the majority has a block that this node has not accepted. */
  readonly milliseconds: number;
};

type MajorityLagMeter = {
  /** Takes a reading; call it at regular intervals. */
  readonly observe: (majorityHeight: bigint, ownHeight: bigint, now: number) => void;
  /** Undefined while this node has all that the majority has. */
  readonly read: (now: number) => MajorityLag | undefined;
};

/** Heights of the majority that are remembered. A chain further behind than these readings counts from the oldest that is left. */
const maxReadings = 1024;

/**
 * Measures for how long the majority has had a block that this node lacks. A chain that follows closely is always a block behind for a moment,
 * so the height alone tells nothing: only a block that stays out of reach does.
 */
export function createMajorityLagMeter(): MajorityLagMeter {
  /** When the majority was first seen at each height that this node has not reached, lowest height first. */
  const ahead: { readonly height: bigint; readonly since: number }[] = [];
  let latest = 0n;
  return {
    observe: (majorityHeight, ownHeight, now) => {
      while (ahead[0] !== undefined && ahead[0].height <= ownHeight) ahead.shift();
      if (majorityHeight > latest) latest = majorityHeight;
      const last = ahead.at(-1)?.height ?? ownHeight;
      if (majorityHeight > last && ahead.length < maxReadings) ahead.push({ height: majorityHeight, since: now });
    },
    read: (now) => {
      const [oldest] = ahead;
      return oldest && { majorityHeight: latest, milliseconds: now - oldest.since };
    },
  };
}
