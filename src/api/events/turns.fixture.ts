import { createLongWork } from '../../base/timing/long-work.ts';

/** Turns of an event loop that the test advances; the clock goes on by one with every look, so that a time slice has eight steps. */
export function createTurns() {
  let waiting: (() => void)[] = [];
  let now = 0;
  const soon = (run: () => void): void => void waiting.push(run);
  return {
    soon,
    longWork: createLongWork({ now: () => now++, soon }),
    /** Runs one turn, and what follows from it until the next one. */
    next: async (): Promise<void> => {
      const turn = waiting;
      waiting = [];
      for (const run of turn) run();
      for (let i = 0; i < 200; i++) await Promise.resolve();
    },
  };
}
