import type { LogReader } from './log-reader.ts';
import type { Position } from './position.ts';
import { createStreamEvent, renderProperties, type StreamEvent } from './stream-event.ts';
import type { Subscriber } from './subscriber.ts';

/** The events about the stream itself, which are in no log: heartbeats, resets, and the last event before a stream is closed. */
export function createHubEvents(log: Pick<LogReader, 'id' | 'head'>) {
  const headPosition = (): Position => ({ entry: log.head(), index: undefined });
  return {
    /** The position after the last entry that was sent. */
    headPosition,
    /** Only for live clients: they have all entries up to the head. */
    heartbeat: (): StreamEvent => createStreamEvent(log.id(), 'heartbeat', headPosition(), () => ''),
    closed: (reason: keyof typeof closedMessages): StreamEvent =>
      createStreamEvent(log.id(), 'closed', undefined, () => renderProperties({ reason, message: closedMessages[reason] })),
    /** Tells a client that it has missed events, and moves it to the head of the log. */
    sendReset: (subscriber: Subscriber, reason: string): void => {
      subscriber.position = headPosition();
      subscriber.push(createStreamEvent(log.id(), 'reset', subscriber.position, () => renderProperties({ reason })));
    },
  };
}

const closedMessages = {
  'too-slow': 'the client did not read its events in time; reconnect with the last ID',
  failed: 'the server could not read past events; reconnect with the last ID',
  stopping: 'the server stops; reconnect with the last ID',
  'key-invalid': 'the API key was revoked or has expired; reconnect with another key and the last ID',
} as const;
