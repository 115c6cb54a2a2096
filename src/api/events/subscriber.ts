import type { Filter } from './filter.ts';
import type { HeldEvents } from './held-events.ts';
import type { Position } from './position.ts';
import type { StreamEvent } from './stream-event.ts';

/** The events that wait for a client, as its connection takes them. */
type EventQueue = {
  /** Removes and returns queued events, at most about `maxTaken` bytes of JSON. */
  readonly take: () => readonly StreamEvent[];
  /** Whether the last event was taken: the connection can be closed. */
  readonly isDone: () => boolean;
  readonly queuedBytes: () => number;
  /** Sets the function that is called when an event is queued. */
  readonly onQueued: (listener: () => void) => void;
  /** Ends the subscription without a last event, because the client has disconnected. */
  readonly disconnect: () => void;
  readonly hasEnded: () => boolean;
};

/** A client of the stream: its filter, its position, and the events that wait until it can take them. */
export type Subscriber = EventQueue & {
  readonly filter: Filter;
  /** All events up to here were queued or left out by the filter. */
  position: Position;
  /** Whether it has got all past events, so that it gets new ones as they come. */
  isLive: boolean;
  /** Queues an event. A client whose queue is full is cut off: the queue is replaced by `overflow`, which is then its last event. */
  readonly push: (event: StreamEvent) => void;
  /** Queues the last event. Later ones are ignored. */
  readonly end: (last: StreamEvent) => void;
  /** Sets the function that is called when the client has read all its events and is ready for more. */
  readonly onDrained: (listener: () => void) => void;
  /** Replaces the queue by `overflow`, which is then the last event. */
  readonly cutOff: () => void;
};

type SubscriberOptions = {
  readonly filter: Filter;
  readonly position: Position;
  readonly overflow: () => StreamEvent;
  /** Counts the events in all queues. */
  readonly held: HeldEvents;
  /** Calls the listener of the queue later, when it is its turn. */
  readonly wake: (listener: () => void) => void;
  readonly limit?: number | undefined;
};

/** Limits in bytes of JSON. Events are shared by all queues, so a queue holds references, not copies. */
const maxQueued = 4 * 1024 * 1024;
const maxTaken = 65_536;

export function createSubscriber({ filter, position, overflow, held, wake, limit = maxQueued }: SubscriberOptions): Subscriber {
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
  const end = (last: StreamEvent): void => {
    if (ended) return;
    ended = true;
    enqueue(last);
  };
  const cutOff = (): void => {
    clear();
    end(overflow());
  };
  return {
    filter,
    position,
    isLive: false,
    push: (event) => {
      if (ended) return;
      if (bytes > 0 && bytes + event.json().length > limit) return cutOff();
      enqueue(event);
      held.check();
    },
    end,
    cutOff,
    take: () => {
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
    isDone: () => ended && queue.length === 0,
    hasEnded: () => ended,
    queuedBytes: () => bytes,
    onQueued: (listener) => {
      notify = listener;
      if (queue.length > 0) listener();
    },
    onDrained: (listener) => {
      notifyDrained = listener;
      if (isDrained) listener();
    },
    disconnect: () => {
      ended = true;
      clear();
    },
  };
}
