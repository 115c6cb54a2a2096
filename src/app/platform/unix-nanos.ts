/**
 * Creates a clock of Unix time in nanoseconds: milliseconds come from the system clock, smaller units from the monotonic clock. It never runs
 * backwards unless the system clock is set back by more than a second.
 */
export function createUnixNanos(systemMilliseconds: () => number, monotonicNanos: () => bigint): () => bigint {
  const system = (): bigint => BigInt(systemMilliseconds()) * nanosPerMillisecond;
  let anchor = { unix: system(), monotonic: monotonicNanos() };
  let last = anchor.unix;
  return () => {
    const begin = system();
    const monotonic = monotonicNanos();
    const monotonicBased = anchor.unix + monotonic - anchor.monotonic;
    const end = begin + nanosPerMillisecond - 1n;
    const clamped = monotonicBased < begin ? begin : monotonicBased > end ? end : monotonicBased;
    if (clamped !== monotonicBased) anchor = { unix: clamped, monotonic };
    last = clamped < last && last - clamped < maxIgnoredSetback ? last : clamped;
    return last;
  };
}

const nanosPerMillisecond = 1_000_000n;
const maxIgnoredSetback = 1000n * nanosPerMillisecond;
