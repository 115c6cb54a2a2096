import type { LogReader } from './log-reader.ts';
import type { Position } from './position.ts';
import { createStreamEvent, renderProperties, type StreamEvent } from './stream-event.ts';
import type { Subscriber } from './subscriber.ts';

/**
 * The events about the event stream itself, which the event log does not have: heartbeats, resets, and the last event before a stream is closed. The
 * event hub (hub.ts) sends them to its subscribers, which are the connected clients. The head of the log is the last entry that the hub has
 * read and sent to its live clients; clients that still get past entries are behind it.
 */
export function createHubEvents(log: Pick<LogReader, 'id' | 'head'>) {
  // An undefined index means the whole entry: a block with all its transactions.
  const headPosition = (): Position => ({ entry: log.head(), index: undefined });
  return {
    /** The position of a client that has all events up to the head. */
    headPosition,
    /** Its ID is the head, so it is only for live clients: one that is behind would resume after entries that it never got. */
    heartbeat: (): StreamEvent => createStreamEvent(log.id(), 'heartbeat', headPosition(), () => ''),
    /** The last event of a stream. It has no position: the client resumes with the ID of the event before. */
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
