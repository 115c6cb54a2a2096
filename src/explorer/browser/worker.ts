import { followEvents, type StreamMessage } from './event-source.ts';
import { createMessageBuffer } from './message-buffer.ts';

/**
 * A shared worker: one event stream for all tabs of this browser. A tab names the position of its page and gets everything after it. A tab
 * that is hidden gets nothing until it is shown again.
 */
export type TabMessage = { readonly follow: string } | 'pause' | 'close';

/** Tabs that get messages. */
const ports = new Set<MessagePort>();

/** Milliseconds for which messages are collected: less than a frame. One task per batch is cheaper for a tab than one per event. */
const batchTime = 10;
let batch: StreamMessage[] = [];
let last: StreamMessage | undefined;
/** What came before a tab did; undefined until the first tab starts the stream. */
let buffer: ReturnType<typeof createMessageBuffer> | undefined;

const send = (): void => {
  const messages = batch;
  batch = [];
  for (const port of ports) port.postMessage(messages);
};

function start(position: string): ReturnType<typeof createMessageBuffer> {
  const created = createMessageBuffer(position);
  followEvents(position, (message) => {
    last = message;
    created.add(message);
    batch.push(message);
    if (batch.length === 1) setTimeout(send, batchTime);
  });
  return created;
}

/** The first tab starts the stream at its position; a later one gets what came since its own. */
function follow(port: MessagePort, position: string): void {
  buffer ??= start(position);
  // What waits for the other tabs is in the buffer too.
  send();
  ports.add(port);
  port.postMessage(buffer.after(position));
  if (last !== undefined && last.kind !== 'lost' && last.kind !== 'closed') port.postMessage([heartbeat]);
}

const heartbeat: StreamMessage = { kind: 'heartbeat', data: '{"kind":"heartbeat"}', id: '' };

(self as unknown as { onconnect: (event: MessageEvent) => void }).onconnect = ({ ports: [port] }) => {
  if (port === undefined) return;
  port.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (typeof data === 'object') follow(port, data.follow);
    else ports.delete(port);
  };
};
