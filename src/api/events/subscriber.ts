import type { Filter } from './filter.ts';
import type { HeldEvents } from './held-events.ts';
import type { Position } from './position.ts';
import type { StreamEvent } from './stream-event.ts';

export type Subscriber = ReturnType<typeof createSubscriber>;

/** Limits in bytes of JSON. Events are shared by all queues, so a queue holds references, not copies. */
const maxQueued = 4 * 1024 * 1024;
const maxTaken = 65_536;

/**
 * A client of the stream: its filter, its position, and the events that wait until its connection can take them. `overflow`: the last event of
 * a client whose queue is full.
 */
export function createSubscriber({
  filter,
  position,
  overflow,
  held,
  wake,
  limit = maxQueued,
}: {
  readonly filter: Filter;
  readonly position: Position;
  readonly overflow: () => StreamEvent;
  /** Counts the events in all queues. */
  readonly held: HeldEvents;
  /** Calls the listener of the queue later, when it is its turn. */
  readonly wake: (listener: () => void) => void;
  readonly limit?: number | undefined;
}) {
  let queue: StreamEvent[] = [];
  let bytes = 0;
  let ended = false;
  /** Whether the client has found the queue empty. */
  let isDrained = false;
  let notify = (): void => {};
  let notifyDrained = (): void => {};
  const enqueue = (event: StreamEvent): void => {
    queue.push(event);
    bytes += event.json().length;
    isDrained = false;
    held.add(event);
    if (queue.length === 1) wake(notify);
  };
  const clear = (): void => {
    held.remove(queue);
    queue = [];
    bytes = 0;
  };
  /** Queues the last event. Later ones are ignored. */
  const end = (last: StreamEvent): void => {
    if (ended) return;
    ended = true;
    enqueue(last);
  };
  /** Replaces the queue by `overflow`, which is then the last event. */
  const cutOff = (): void => {
    clear();
    end(overflow());
  };
  return {
    filter,
    /** All events up to here were queued or left out by the filter. */
    position,
    /** Whether it has got all past events, so that it gets new ones as they come. */
    isLive: false,
    /** Queues an event. A client whose queue is full is cut off. */
    push: (event: StreamEvent): void => {
      if (ended) return;
      if (bytes > 0 && bytes + event.json().length > limit) cutOff();
      else {
        enqueue(event);
        held.check();
      }
    },
    end,
    cutOff,
    /** Removes and returns queued events, at most about `maxTaken` bytes of JSON. */
    take: (): readonly StreamEvent[] => {
      let taken = 0;
      let count = 0;
      while (count < queue.length && taken < maxTaken) taken += (queue[count++] as StreamEvent).json().length;
      const events = count === queue.length ? queue : queue.slice(0, count);
      queue = count === queue.length ? [] : queue.slice(count);
      bytes -= taken;
      held.remove(events);
      if (count > 0 || isDrained || ended) return events;
      isDrained = true;
      notifyDrained();
      return events;
    },
    /** Whether the last event was taken: the connection can be closed. */
    isDone: (): boolean => ended && queue.length === 0,
    hasEnded: (): boolean => ended,
    queuedBytes: (): number => bytes,
    /** Sets the function that is called when an event is queued. */
    onQueued: (listener: () => void): void => {
      notify = listener;
      if (queue.length > 0) listener();
    },
    /** Sets the function that is called when the client has read all its events and is ready for more. */
    onDrained: (listener: () => void): void => {
      notifyDrained = listener;
      if (isDrained) listener();
    },
    /** Ends the subscription without a last event, because the client has disconnected. */
    disconnect: (): void => {
      ended = true;
      clear();
    },
  };
}
