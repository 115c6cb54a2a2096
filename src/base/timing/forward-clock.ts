/**
 * Creates a clock for durations, in milliseconds, from the system clock and a monotonic one. It goes on with the system clock, also while the machine
 * sleeps: a monotonic clock stands still then. But it does not go back with it: whatever waits would wait as long as the clock was set back.
 */
export function createForwardClock(unixMilliseconds: () => number, monotonic: () => number): () => number {
  let unix = unixMilliseconds();
  let steady = monotonic();
  let ahead = 0;
  return () => {
    const [unixBefore, steadyBefore] = [unix, steady];
    unix = unixMilliseconds();
    steady = monotonic();
    const lost = steady - steadyBefore - (unix - unixBefore);
    if (unix < unixBefore || lost > maxSlew) ahead += lost;
    return unix + ahead;
  };
}

/** Milliseconds between two readings by which the system clock may be slowed down to correct it; more means that it was set back. */
const maxSlew = 500;
