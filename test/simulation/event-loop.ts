import type { Timers } from '../../src/base/timing/timers.ts';
import { createVirtualClock } from '../../src/base/timing/virtual-timing.fixture.ts';

/** Runs the events of a simulation on a virtual clock, one after the other, so that a run depends on its seed alone. */
export type EventLoop = {
  readonly timers: Timers;
  /** Call it from an event that may have resolved promises: what waits for them runs before the next event. */
  readonly markAsync: () => void;
  /** Runs events until the condition holds, or the clock reaches `until`. Returns whether the condition holds. */
  readonly run: (isDone: () => boolean, until: number) => Promise<boolean>;
  readonly eventCount: () => number;
};

/** The start of the virtual clock, in Unix milliseconds. */
export const simulationStart = 1_700_000_000_000;

/** How many events run between two looks at the condition. */
const checkInterval = 16;

export function createEventLoop(): EventLoop {
  const { now, after, runNext } = createVirtualClock(simulationStart);
  let count = 0;
  let isAsync = false;
  return {
    timers: { now, after },
    markAsync: () => {
      isAsync = true;
    },
    run: async (isDone, until) => {
      isAsync = true;
      for (;;) {
        if (isAsync) {
          isAsync = false;
          // All microtasks run before the next macrotask.
          await new Promise<void>((resolve) => setImmediate(resolve));
          continue;
        }
        if (count % checkInterval === 0 && isDone()) return true;
        if (!runNext(until)) return isDone();
        count++;
      }
    },
    eventCount: () => count,
  };
}
