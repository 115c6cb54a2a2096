import type { Filter } from './filter.ts';
import type { Position } from './position.ts';
import type { StreamEvent } from './stream-event.ts';

/** A client of the stream: its filter, its position, and the events that wait until it can take them. */
export type Subscriber = {
  readonly filter: Filter;
  /** All events up to here were queued or left out by the filter. */
  position: Position;
  /** Whether it has got all past events, so that it gets new ones as they come. */
  isLive: boolean;
  /** Queues an event. A client whose queue is full is cut off: the queue is replaced by `overflow`, which is then its last event. */
  readonly push: (event: StreamEvent) => void;
  /** Queues the last event. Later ones are ignored. */
  readonly end: (last: StreamEvent) => void;
  /** Removes and returns queued events, at most about `maxTaken` bytes of JSON. */
  readonly take: () => readonly StreamEvent[];
  /** Whether the last event was taken: the connection can be closed. */
  readonly isDone: () => boolean;
  readonly hasEnded: () => boolean;
  readonly queuedBytes: () => number;
  /** Sets the function that is called when an event is queued. */
  readonly onQueued: (listener: () => void) => void;
  /** Resolves when the client has taken its events, or has disconnected. */
  readonly untilTaken: () => Promise<void>;
  /** Ends the subscription without a last event, because the client has disconnected. */
  readonly disconnect: () => void;
};

/** Limits in bytes of JSON. Events are shared by all queues, so a queue holds references, not copies. */
export const maxQueued = 4 * 1024 * 1024;
const maxTaken = 65_536;

export function createSubscriber(filter: Filter, position: Position, overflow: () => StreamEvent, limit = maxQueued): Subscriber {
  let queue: StreamEvent[] = [];
  let bytes = 0;
  let ended = false;
  let notify = (): void => {};
  let waiting: (() => void)[] = [];
  const wakeWaiting = (): void => {
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };
  const end = (last: StreamEvent): void => {
    if (ended) return;
    ended = true;
    queue.push(last);
    bytes += last.json().length;
    notify();
    wakeWaiting();
  };
  return {
    filter,
    position,
    isLive: false,
    push: (event) => {
      if (ended) return;
      const size = event.json().length;
      if (bytes > 0 && bytes + size > limit) {
        queue = [];
        bytes = 0;
        end(overflow());
        return;
      }
      queue.push(event);
      bytes += size;
      if (queue.length === 1) notify();
    },
    end,
    take: () => {
      let taken = 0;
      let count = 0;
      while (count < queue.length && taken < maxTaken) taken += (queue[count++] as StreamEvent).json().length;
      const events = count === queue.length ? queue : queue.slice(0, count);
      queue = count === queue.length ? [] : queue.slice(count);
      bytes -= taken;
      if (queue.length === 0) wakeWaiting();
      return events;
    },
    isDone: () => ended && queue.length === 0,
    hasEnded: () => ended,
    queuedBytes: () => bytes,
    onQueued: (listener) => {
      notify = listener;
      if (queue.length > 0) listener();
    },
    untilTaken: () => (queue.length === 0 || ended ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    disconnect: () => {
      ended = true;
      queue = [];
      bytes = 0;
      wakeWaiting();
    },
  };
}
