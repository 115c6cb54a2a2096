import type { WebSocketHandlers, WebSocketPeer } from '../http/message.ts';
import type { EventHub } from './hub.ts';
import type { StreamEvent } from './stream-event.ts';
import type { Subscriber } from './subscriber.ts';

/** Writes the queued events of a client as server-sent events. Ends after the last event, or when the client has disconnected. */
export function createSseStream(
  subscriber: Subscriber,
  hub: Pick<EventHub, 'unsubscribe'>,
  joinEvents: (events: readonly StreamEvent[]) => Uint8Array,
): AsyncIterable<Uint8Array> {
  let wake = (): void => {};
  let isEnded = false;
  subscriber.onQueued(() => wake());
  const end = (): IteratorResult<Uint8Array> => {
    isEnded = true;
    hub.unsubscribe(subscriber);
    return { done: true, value: undefined };
  };
  const iterator: AsyncIterator<Uint8Array> = {
    next: async () => {
      for (;;) {
        if (isEnded) return { done: true, value: undefined };
        const events = subscriber.take();
        if (events.length > 0) return { done: false, value: joinEvents(events) };
        if (subscriber.isDone()) return end();
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    return: async () => {
      const ended = end();
      wake();
      return ended;
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

/** Joins the SSE texts of events. The last result is kept: clients with the same filter take the same events one after the other. */
export function createSseJoiner(): (events: readonly StreamEvent[]) => Uint8Array {
  let last: { readonly events: readonly StreamEvent[]; readonly bytes: Uint8Array } | undefined;
  return (events) => {
    if (last?.events.length === events.length && events.every((event, i) => event === last?.events[i])) return last.bytes;
    const bytes = Buffer.concat(events.map((event) => event.sse()));
    last = { events, bytes };
    return bytes;
  };
}

/** Sends the queued events of a client as WebSocket messages, one event each. Messages of the client are ignored. */
export function createWebSocketHandlers(subscriber: Subscriber, hub: Pick<EventHub, 'unsubscribe'>): WebSocketHandlers {
  let peer: WebSocketPeer | undefined;
  let isBlocked = false;
  let isScheduled = false;
  const flush = (): void => {
    isScheduled = false;
    while (peer !== undefined && !isBlocked) {
      const events = subscriber.take();
      if (events.length === 0) break;
      for (const event of events) isBlocked = !peer.send(event.json()) || isBlocked;
    }
    if (subscriber.isDone() && !isBlocked) peer?.close();
  };
  // All events of one turn are sent together.
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    queueMicrotask(flush);
  };
  return {
    onOpen: (opened) => {
      peer = opened;
      subscriber.onQueued(schedule);
      // Past events are sent to a client that asks for them.
      schedule();
    },
    onDrain: () => {
      isBlocked = false;
      schedule();
    },
    onClose: () => {
      peer = undefined;
      hub.unsubscribe(subscriber);
    },
  };
}
