import { stopped } from './fault.ts';

/** Time as following needs it: handed in, so that tests need not wait. */
export type Timing = {
  /** Milliseconds that only go forward. */
  readonly now: () => number;
  /** Unix seconds. */
  readonly unix: () => bigint;
  readonly after: (ms: number, run: () => void) => () => void;
  /** After what has already arrived was handled. */
  readonly soon: (run: () => void) => void;
  /** From 0 to 1. */
  readonly random: () => number;
};

/** Resolves after so many milliseconds; rejects at once when everything is stopped. */
export function pause(timing: Pick<Timing, 'after'>, ms: number, signal: AbortSignal): Promise<void> {
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
