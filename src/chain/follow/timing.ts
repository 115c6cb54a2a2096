import { stopped } from './fault.ts';

/** Clock, timers and randomness; injected, so that tests do not wait. */
export type Timing = {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Unix seconds. */
  readonly unix: () => bigint;
  readonly after: (ms: number, run: () => void) => () => void;
  /** Runs in the next turn of the event loop, after the I/O that has already arrived. */
  readonly soon: (run: () => void) => void;
  /** From 0 to 1. */
  readonly random: () => number;
};

/** Resolves after the given milliseconds; rejects at once with FOLLOW_STOPPED when the signal aborts. */
export function abortableSleep(timing: Pick<Timing, 'after'>, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(stopped());
    const onAbort = (): void => {
      cancel();
      reject(stopped());
    };
    const cancel = timing.after(ms, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Lets one caller wait until another one wakes it, or the timeout is over. */
export function createWakeUp({ after }: Pick<Timing, 'after'>) {
  let wake: (() => void) | undefined;
  return {
    wake: () => wake?.(),
    /** `timeout` in milliseconds. */
    wait: async (timeout: number): Promise<void> => {
      await new Promise<void>((resolve) => {
        const cancel = after(timeout, resolve);
        wake = () => {
          cancel();
          resolve();
        };
      });
      wake = undefined;
    },
  };
}
