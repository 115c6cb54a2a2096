import type { TimeEnv } from '../../src/app/platform/env.ts';
import type { Random } from '../random.ts';

/** Clock and timers that only move when the test says so: the same calls give the same order of events in every run. */
type VirtualTime = TimeEnv & {
  /** Waits for a result; timers run, the earliest first, whenever nothing else is left to do. */
  readonly until: <T>(result: Promise<T>) => Promise<T>;
  /** Runs the timers of the next milliseconds. */
  readonly pass: (milliseconds: number) => Promise<void>;
  /** Sets the clock on the wall, as an administrator or NTP does. The other one is not changed by it. */
  readonly jump: (seconds: number) => void;
};

type Timer = { readonly at: number; readonly number: number; readonly run: () => void };

/** Turns of the event loop after which nothing more happens without a timer: promises and `soon` of one step are done by then. */
const settlingTurns = 4;

export function createVirtualTime(random: Random, startSeconds: number): VirtualTime {
  let now = 0;
  let offset = startSeconds * 1000;
  let count = 0;
  let timers: Timer[] = [];
  const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
  const settle = async (isDone: () => boolean): Promise<void> => {
    for (let i = 0; i < settlingTurns && !isDone(); i++) await turn();
  };
  const runNext = (latest: number): boolean => {
    const next = timers.reduce<Timer | undefined>(
      (first, timer) => (first === undefined || isBefore(timer, first) ? timer : first),
      undefined,
    );
    if (next === undefined || next.at > latest) return false;
    timers = timers.filter((timer) => timer !== next);
    now = Math.max(now, next.at);
    next.run();
    return true;
  };

  return {
    clock: {
      unixSeconds: () => BigInt(Math.floor((offset + now) / 1000)),
      unixNanos: () => BigInt(Math.floor(offset + now)) * 1_000_000n,
      monotonic: () => now,
    },
    timers: {
      soon: (run) => void setImmediate(run),
      after: (ms, run) => {
        const timer = { at: now + Math.max(0, ms), number: count++, run };
        timers.push(timer);
        return () => {
          timers = timers.filter((other) => other !== timer);
        };
      },
    },
    random: (length) => random.bytes(length),
    until: async (result) => {
      let isDone = false;
      const end = (): void => {
        isDone = true;
      };
      result.then(end, end);
      for (;;) {
        await settle(() => isDone);
        if (isDone) return result;
        if (!runNext(Number.POSITIVE_INFINITY)) await turn();
      }
    },
    pass: async (milliseconds) => {
      const end = now + milliseconds;
      do await settle(() => false);
      while (runNext(end));
      now = Math.max(now, end);
    },
    jump: (seconds) => {
      offset += seconds * 1000;
    },
  };
}

const isBefore = (a: Timer, b: Timer): boolean => a.at < b.at || (a.at === b.at && a.number < b.number);
