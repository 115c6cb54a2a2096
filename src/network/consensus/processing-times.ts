import type { Id } from '../../base/bytes/id.ts';
import { createAverager } from '../protocol/averager.ts';

/** Since when blocks are processing, and how old blocks are when they are accepted. The clock is an argument. */
type ProcessingTimes = {
  /** `polls`: how many polls were recorded before. */
  readonly issued: (id: Id, now: number, polls: number) => void;
  /** Ends a block. Returns how long it was processing, in milliseconds and in polls. */
  readonly decided: (id: Id, now: number, polls: number) => { readonly latency: number; readonly polls: number };
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
  const since = new Map<Id, { readonly time: number; readonly polls: number }>();
  let averager: ReturnType<typeof createAverager> | undefined;
  let firstObserved = 0;
  return {
    issued: (id, now, polls) => {
      since.set(id, { time: now, polls });
    },
    decided: (id, now, polls) => {
      const start = since.get(id);
      since.delete(id);
      return start === undefined ? { latency: 0, polls: 0 } : { latency: now - start.time, polls: polls - start.polls };
    },
    observeAge: (age, now) => {
      if (averager !== undefined) return averager.observe(age, now);
      averager = createAverager(age, halfLife, now);
      firstObserved = now;
    },
    longest: (now) => {
      const oldest = since.values().next().value;
      return oldest === undefined ? 0 : now - oldest.time;
    },
    averageAge: (now) => (averager === undefined || now - firstObserved < halfLife ? 0 : averager.read()),
  };
}
