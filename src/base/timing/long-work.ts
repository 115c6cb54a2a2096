/**
 * Splits long work into time slices, so that other requests are handled in between. All long work of the process shares one time slice per turn of
 * the event loop, or more of them where the rest of the turn takes long.
 */
export type LongWork = {
  /** Starts a time slice now. Call the result between two steps, and await the promise if it returns one. */
  readonly begin: () => Pause;
};

/** Returns undefined while the time slice lasts, else a promise that resolves when the next slice starts. */
export type Pause = () => Promise<void> | undefined;

/** Runs work to its end, with a pause between two steps when one is due. */
export async function runSteps<T>(work: Generator<void, T>, pause: Pause): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await pause();
  }
}

/** Items that one step of `mapInSteps` maps: milliseconds, if one takes some microseconds. */
const itemsPerStep = 256;

export function* mapInSteps<T, R>(items: readonly T[], toItem: (item: T) => R): Generator<void, R[]> {
  const mapped: R[] = [];
  for (const item of items) if (mapped.push(toItem(item)) % itemsPerStep === 0) yield;
  return mapped;
}

type LongWorkTimers = {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Runs in the next turn of the event loop, after the I/O that has already arrived. */
  readonly soon: (run: () => void) => void;
};

/** Length of a time slice in milliseconds. */
const sliceTime = 8;
/**
 * What long work gets of a turn, as a part of the time that everything else took, at most `maxTime`. With one slice per turn, pages needed minutes on
 * a node that got too many transactions: a turn took hundreds of milliseconds, and many pages waited for one slice.
 */
const share = 0.5;
const maxTime = 100;

export function createLongWork({ now, soon }: LongWorkTimers): LongWork {
  const waiting: (() => void)[] = [];
  /** Whether a turn is due or runs. */
  let isActive = false;
  let turnEnded = 0;
  const awaitTurn = (): void => {
    isActive = true;
    turnEnded = now();
    soon(runTurn);
  };
  const runTurn = (): void => {
    const began = now();
    const end = began + Math.min(maxTime, Math.max(sliceTime, share * (began - turnEnded)));
    const runNext = (): void => {
      const resume = waiting.shift();
      if (resume === undefined) {
        isActive = false;
        return;
      }
      resume();
      // What was resumed runs first, up to its next pause: it waits for a promise that is resolved now.
      queueMicrotask(() => (now() < end ? runNext() : awaitTurn()));
    };
    runNext();
  };
  return {
    begin: () => {
      let started = now();
      return () => {
        if (now() - started < sliceTime) return undefined;
        return new Promise((resolve) => {
          waiting.push(() => {
            started = now();
            resolve();
          });
          if (!isActive) awaitTurn();
        });
      };
    },
  };
}
