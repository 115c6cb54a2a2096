import { fail } from 'node:assert';
import type { Timing } from '../../chain/follow/timing.ts';

/** A virtual clock: when nothing else can run, it jumps to the next timer, so tests do not wait. */
type VirtualTiming = {
  readonly timing: Timing;
  /** Runs timers until the condition is true; throws after `timeout` milliseconds of virtual time. */
  readonly until: (condition: () => boolean, timeout?: number) => Promise<void>;
  /** Advances the clock and runs all timers that are due. */
  readonly pass: (milliseconds: number) => Promise<void>;
};

export function createVirtualTiming(random: () => number = () => 0.5): VirtualTiming {
  const waiting = new Set<{ readonly at: number; readonly run: () => void }>();
  let now = 0;
  const start = 1_800_000_000n;

  /** Lets all promises settle that need no timer. */
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
  };

  const next = () => [...waiting].reduce<{ at: number; run: () => void } | undefined>((a, b) => (a && a.at <= b.at ? a : b), undefined);

  const until = async (condition: () => boolean, timeout = 600_000): Promise<void> => {
    const end = now + timeout;
    for (;;) {
      await settle();
      if (condition()) return;
      const timer = next();
      if (timer === undefined) fail('the condition is false and no timer is left');
      if (timer.at > end) fail(`the condition is still false after ${timeout} ms of virtual time`);
      waiting.delete(timer);
      now = Math.max(now, timer.at);
      timer.run();
    }
  };

  return {
    timing: {
      now: () => now,
      unix: () => start + BigInt(Math.floor(now / 1000)),
      soon: (run) => void setImmediate(run),
      after: (ms, run) => {
        const timer = { at: now + ms, run };
        waiting.add(timer);
        return () => void waiting.delete(timer);
      },
      random,
    },
    until,
    pass: async (milliseconds) => {
      let isOver = false;
      const end = { at: now + milliseconds, run: () => (isOver = true) };
      waiting.add(end);
      await until(() => isOver, milliseconds);
    },
  };
}
