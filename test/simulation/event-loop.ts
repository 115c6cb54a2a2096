import type { Timers } from '../../src/base/timing/timers.ts';

/** A virtual clock with timers. Events at the same time run in the order in which they were added, so a run depends on its seed alone. */
export type EventLoop = {
  readonly timers: Timers;
  /** Call it from an event that may have resolved promises: what waits for them runs before the next event. */
  readonly markAsync: () => void;
  /** Runs events until the condition holds, or the clock reaches `until`. Returns whether the condition holds. */
  readonly run: (isDone: () => boolean, until: number) => Promise<boolean>;
  readonly eventCount: () => number;
};

type Event = { readonly time: number; readonly order: number; run: (() => void) | undefined };

/** The start of the virtual clock, in Unix milliseconds. */
export const simulationStart = 1_700_000_000_000;

/** How many events run between two looks at the condition. */
const checkInterval = 16;

export function createEventLoop(): EventLoop {
  const heap: Event[] = [];
  let now = simulationStart;
  let order = 0;
  let count = 0;
  let isAsync = false;
  const isBefore = (a: Event, b: Event): boolean => a.time < b.time || (a.time === b.time && a.order < b.order);

  const push = (event: Event): void => {
    let at = heap.length;
    heap.push(event);
    for (let parent = (at - 1) >> 1; at > 0 && isBefore(event, heap[parent]!); at = parent, parent = (at - 1) >> 1) {
      heap[at] = heap[parent]!;
      heap[parent] = event;
    }
  };
  const pop = (): Event | undefined => {
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
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
    return first;
  };

  return {
    timers: {
      now: () => now,
      after: (milliseconds, run) => {
        const event: Event = { time: now + Math.max(0, milliseconds), order: order++, run };
        push(event);
        return () => {
          event.run = undefined;
        };
      },
    },
    markAsync: () => {
      isAsync = true;
    },
    run: async (isDone, until) => {
      isAsync = true;
      for (;;) {
        if (isAsync) {
          isAsync = false;
          // All microtasks run before the next macrotask.
          await new Promise<void>((resolve) => setImmediate(resolve));
          continue;
        }
        if (count % checkInterval === 0 && isDone()) return true;
        const event = heap[0] !== undefined && heap[0].time <= until ? pop() : undefined;
        if (event === undefined) return isDone();
        now = event.time;
        count++;
        event.run?.();
      }
    },
    eventCount: () => count,
  };
}
