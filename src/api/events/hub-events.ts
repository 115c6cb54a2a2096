import type { LogReader } from './log-reader.ts';
import { createStreamEvent, renderProperties, type StreamEvent } from './stream-event.ts';

/** The events that the hub makes itself. */
export function createHubEvents(log: Pick<LogReader, 'id' | 'head'>) {
  const headPosition = () => ({ seq: log.head(), index: undefined });
  return {
    headPosition,
    /** Only for live clients: they have all entries up to the head. */
    heartbeat: (): StreamEvent => createStreamEvent(log.id(), 'heartbeat', headPosition(), () => ''),
    reset: (position: StreamEvent['position'], reason: string): StreamEvent =>
      createStreamEvent(log.id(), 'reset', position, () => renderProperties({ reason })),
    closed: (reason: keyof typeof closedMessages): StreamEvent =>
      createStreamEvent(log.id(), 'closed', undefined, () => renderProperties({ reason, message: closedMessages[reason] })),
  };
}

const closedMessages = {
  'too-slow': 'the client did not read its events in time; reconnect with the last ID',
  failed: 'the server could not read past events; reconnect with the last ID',
  stopping: 'the server stops; reconnect with the last ID',
  'key-invalid': 'the API key was revoked or has expired; reconnect with another key and the last ID',
} as const;
