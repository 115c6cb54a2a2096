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

export type Backoff = { readonly next: () => number; readonly reset: () => void };

/** Twice as long each time up to the longest, and never quite the same: many who wait for one node should not return together. */
export function createBackoff({ first, longest }: { readonly first: number; readonly longest: number }, random: () => number): Backoff {
  let failures = 0;
  return {
    next: () => {
      const full = Math.min(longest, first * 2 ** failures);
      failures = Math.min(failures + 1, 30);
      return full * (0.5 + random() / 2);
    },
    reset: () => {
      failures = 0;
    },
  };
}
