/**
 * Splits long work into time slices, so that other requests are handled in between. One time slice runs per turn of the event loop, shared
 * by all long work of the process.
 */
export type LongWork = {
  /** Starts a time slice now. Call the result between two steps, and await the promise if it returns one. */
  readonly begin: () => Pause;
};

/** Returns undefined while the time slice lasts, else a promise that resolves when the next slice starts. */
export type Pause = () => Promise<void> | undefined;

type LongWorkTimers = {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Runs in the next turn of the event loop, after the I/O that has already arrived. */
  readonly soon: (run: () => void) => void;
};

/** Length of a time slice in milliseconds. */
const sliceTime = 8;

export function createLongWork({ now, soon }: LongWorkTimers): LongWork {
  const waiting: (() => void)[] = [];
  const runNext = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) soon(runNext);
  };
  return {
    begin: () => {
      let started = now();
      return () => {
        if (now() - started < sliceTime) return undefined;
        return new Promise((resolve) => {
          const resume = (): void => {
            started = now();
            resolve();
          };
          if (waiting.push(resume) === 1) soon(runNext);
        });
      };
    },
  };
}
