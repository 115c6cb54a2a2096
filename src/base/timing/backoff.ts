type Backoff = { readonly next: () => number; readonly reset: () => void };

/** Exponential backoff: delays double from `first` to `max` milliseconds. Jitter keeps processes that wait for one node from retrying together. */
export function createBackoff({ first, max }: { readonly first: number; readonly max: number }, random: () => number): Backoff {
  let failures = 0;
  return {
    next: () => {
      const delay = Math.min(max, first * 2 ** failures);
      failures = Math.min(failures + 1, 30);
      return delay * (0.5 + random() / 2);
    },
    reset: () => {
      failures = 0;
    },
  };
}
