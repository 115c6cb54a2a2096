export type Backoff = { readonly next: () => number; readonly reset: () => void };

/** Waits that double up to `longest` milliseconds, with jitter, so that many processes that wait for one node do not return together. */
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
