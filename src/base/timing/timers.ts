/** A clock that never goes back, in milliseconds, to measure durations with, and timers. Nodes use real ones; a simulation moves its own. */
export type Timers = {
  readonly now: () => number;
  /** Calls `run` once after a delay, never during this call. Returns a function that cancels it. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
};

/** Calls `run` again and again, `milliseconds` after the previous call. Returns a function that stops it. */
export function every(timers: Pick<Timers, 'after'>, milliseconds: number, run: () => void): () => void {
  let cancel = timers.after(milliseconds, tick);
  let stopped = false;
  function tick(): void {
    run();
    if (!stopped) cancel = timers.after(milliseconds, tick);
  }
  return () => {
    stopped = true;
    cancel();
  };
}
