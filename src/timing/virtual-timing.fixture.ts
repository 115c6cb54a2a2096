import { fail } from 'node:assert';
import type { Timing } from '../follow/pause.ts';

/** Time that passes only when there is nothing else to do: what waits an hour comes at once, in order. */
export type VirtualTiming = {
  readonly timing: Timing;
  /** Lets everything happen until this holds; throws after so many milliseconds of virtual time. */
  readonly until: (holds: () => boolean, longest?: number) => Promise<void>;
  /** Lets so much time pass. */
  readonly pass: (milliseconds: number) => Promise<void>;
};

export function createVirtualTiming(random: () => number = () => 0.5): VirtualTiming {
  const waiting = new Set<{ readonly at: number; readonly run: () => void }>();
  let now = 0;
  const start = 1_800_000_000n;

  /** Everything that needs no time: all promises that can settle do so between two turns of the event loop. */
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
  };

  const next = () => [...waiting].reduce<{ at: number; run: () => void } | undefined>((a, b) => (a && a.at <= b.at ? a : b), undefined);

  const until = async (holds: () => boolean, longest = 600_000): Promise<void> => {
    const end = now + longest;
    for (;;) {
      await settle();
      if (holds()) return;
      const timer = next();
      if (timer === undefined) fail('nothing is left to happen');
      if (timer.at > end) fail(`not so after ${longest} ms`);
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
