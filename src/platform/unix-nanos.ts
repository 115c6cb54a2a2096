/**
 * Unix time in nanoseconds: the milliseconds are those of the system clock, what is below them is counted by the monotonic clock. It never runs
 * backwards unless the system clock is set back by more than a second.
 */
export function createUnixNanos(systemMilliseconds: () => number, monotonicNanos: () => bigint): () => bigint {
  const system = (): bigint => BigInt(systemMilliseconds()) * millisecond;
  let anchor = { unix: system(), monotonic: monotonicNanos() };
  let last = anchor.unix;
  return () => {
    const begin = system();
    const monotonic = monotonicNanos();
    const counted = anchor.unix + monotonic - anchor.monotonic;
    const end = begin + millisecond - 1n;
    const shown = counted < begin ? begin : counted > end ? end : counted;
    if (shown !== counted) anchor = { unix: shown, monotonic };
    last = shown < last && last - shown < tolerated ? last : shown;
    return last;
  };
}

const millisecond = 1_000_000n;
const tolerated = 1000n * millisecond;
