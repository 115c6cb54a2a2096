/**
 * Heights that others have and this node has not reached, and since when they may have had each. At most so many are kept: after that the last one is
 * raised, so whoever is further ahead counts as ahead for longer than he is, never for a shorter time.
 */
export type HeightsAhead = ReturnType<typeof createHeightsAhead>;

export function createHeightsAhead(most: number) {
  /** The lowest height first. */
  const ahead: { height: bigint; readonly since: number }[] = [];
  return {
    /** Adds a height, unless one as high was added. `since`: when the others were last known to have less. */
    add: (height: bigint, since: number): void => {
      const last = ahead.at(-1);
      if (last === undefined || (height > last.height && ahead.length < most)) ahead.push({ height, since });
      else if (height > last.height) last.height = height;
    },
    /** Forgets the heights that this node has reached. */
    forget: (ownHeight: bigint): void => {
      while (ahead[0] !== undefined && ahead[0].height <= ownHeight) ahead.shift();
    },
    /** Since when the others may have had more than the height that was forgotten last; undefined if they had no more. */
    since: (): number | undefined => ahead[0]?.since,
  };
}
