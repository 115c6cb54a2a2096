import { fail } from 'node:assert';
import type { Timing } from '../../chain/follow/timing.ts';
import type { Timers } from './timers.ts';

/** The virtual clock of all tests: timers run when a test says so, at their time, and those of the same time in the order in which they were added. */
export type VirtualClock = Timers & {
  /** The time of the next timer; undefined if there is none. */
  readonly nextTime: () => number | undefined;
  /** Sets the clock to the next timer and runs it, if it is due by `end`. Returns whether it was. */
  readonly runNext: (end: number) => boolean;
  /** Advances the clock and runs all timers that are due, without letting promises settle. */
  readonly advance: (milliseconds: number) => void;
};

type Timer = { readonly time: number; readonly order: number; run: (() => void) | undefined };

const isBefore = (a: Timer, b: Timer): boolean => a.time < b.time || (a.time === b.time && a.order < b.order);

export function createVirtualClock(start: number): VirtualClock {
  /** A binary heap: a simulated network has thousands of timers. */
  const heap: Timer[] = [];
  let now = start;
  let order = 0;
  const push = (timer: Timer): void => {
    let at = heap.length;
    heap.push(timer);
    for (let parent = (at - 1) >> 1; at > 0 && isBefore(timer, heap[parent]!); at = parent, parent = (at - 1) >> 1) {
      heap[at] = heap[parent]!;
      heap[parent] = timer;
    }
  };
  const pop = (): void => {
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    for (let at = 0; ; ) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      heap[child] = last;
      at = child;
    }
  };
  const next = (): Timer | undefined => {
    // A timer that was cancelled stays in the heap until it is the next one.
    while (heap[0] !== undefined && heap[0].run === undefined) pop();
    return heap[0];
  };
  const runNext = (end: number): boolean => {
    const timer = next();
    if (timer === undefined || timer.time > end) return false;
    pop();
    now = Math.max(now, timer.time);
    timer.run?.();
    return true;
  };
  return {
    now: () => now,
    after: (milliseconds, run) => {
      const timer: Timer = { time: now + Math.max(0, milliseconds), order: order++, run };
      push(timer);
      return () => {
        timer.run = undefined;
      };
    },
    nextTime: () => next()?.time,
    runNext,
    advance: (milliseconds) => {
      const end = now + milliseconds;
      while (runNext(end));
      now = end;
    },
  };
}

/** A virtual clock that jumps to the next timer when nothing else can run, so tests do not wait. */
type VirtualTiming = {
  readonly timing: Timing;
  /** Runs timers until the condition is true; throws after `timeout` milliseconds of virtual time. */
  readonly until: (condition: () => boolean, timeout?: number) => Promise<void>;
  /** Advances the clock and runs all timers that are due. */
  readonly pass: (milliseconds: number) => Promise<void>;
};

export function createVirtualTiming(random: () => number = () => 0.5): VirtualTiming {
  const clock = createVirtualClock(0);
  const start = 1_800_000_000n;

  /** Lets all promises settle that need no timer. */
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
  };

  const until = async (condition: () => boolean, timeout = 600_000): Promise<void> => {
    const end = clock.now() + timeout;
    for (;;) {
      await settle();
      if (condition()) return;
      if (clock.nextTime() === undefined) fail('the condition is false and no timer is left');
      if (!clock.runNext(end)) fail(`the condition is still false after ${timeout} ms of virtual time`);
    }
  };

  return {
    timing: {
      now: clock.now,
      unix: () => start + BigInt(Math.floor(clock.now() / 1000)),
      soon: (run) => void setImmediate(run),
      after: clock.after,
      random,
    },
    until,
    pass: async (milliseconds) => {
      let isOver = false;
      clock.after(milliseconds, () => {
        isOver = true;
      });
      await until(() => isOver, milliseconds);
    },
  };
}

/** Resolves in the next turn, after what promises do in this one. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
