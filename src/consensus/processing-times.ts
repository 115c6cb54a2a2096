import type { Id } from '../bytes/id.ts';
import { createAverager } from '../p2p/averager.ts';

/** Since when blocks are processing, and how old blocks are when they are accepted. The clock is an argument. */
export type ProcessingTimes = {
  readonly issued: (id: Id, now: number) => void;
  /** Ends a block. Returns how long it was processing, in milliseconds. */
  readonly decided: (id: Id, now: number) => number;
  /** Notes the age of an accepted block: now minus its own time. */
  readonly observeAge: (age: number, now: number) => void;
  /** How long the oldest processing block has been processing; 0 without one. */
  readonly longest: (now: number) => number;
  /** The average age of accepted blocks; 0 during the first half-life, as in AvalancheGo. */
  readonly averageAge: (now: number) => number;
};

/** AvalancheGo: snow/consensus/snowman/metrics.go, acceptanceHalfLife. */
const halfLife = 300_000;

export function createProcessingTimes(): ProcessingTimes {
  const since = new Map<Id, number>();
  let averager: ReturnType<typeof createAverager> | undefined;
  let firstObserved = 0;
  return {
    issued: (id, now) => {
      since.set(id, now);
    },
    decided: (id, now) => {
      const start = since.get(id) ?? now;
      since.delete(id);
      return now - start;
    },
    observeAge: (age, now) => {
      if (averager !== undefined) return averager.observe(age, now);
      averager = createAverager(age, halfLife, now);
      firstObserved = now;
    },
    longest: (now) => {
      const oldest = since.values().next().value;
      return oldest === undefined ? 0 : now - oldest;
    },
    averageAge: (now) => (averager === undefined || now - firstObserved < halfLife ? 0 : averager.read()),
  };
}
