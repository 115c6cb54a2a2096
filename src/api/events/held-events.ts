import type { StreamEvent } from './stream-event.ts';

export type HeldEvents = ReturnType<typeof createHeldEvents>;

/** Counts the events that wait for clients. An event in several queues is in memory once, so it counts once. `max`: bytes of JSON. */
export function createHeldEvents(max: number, onOver: () => void) {
  const queues = new Map<StreamEvent, number>();
  let bytes = 0;
  const isOver = (): boolean => bytes > max;
  return {
    add: (event: StreamEvent): void => {
      const count = queues.get(event) ?? 0;
      if (count === 0) bytes += event.json().length;
      queues.set(event, count + 1);
    },
    remove: (events: readonly StreamEvent[]): void => {
      for (const event of events) {
        const count = queues.get(event) ?? 0;
        if (count > 1) queues.set(event, count - 1);
        else if (queues.delete(event)) bytes -= event.json().length;
      }
    },
    isOver,
    /** Calls `onOver` if the events exceed the limit. */
    check: (): void => {
      if (isOver()) onOver();
    },
  };
}
