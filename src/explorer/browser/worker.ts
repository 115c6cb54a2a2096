import { followEvents, type StreamMessage } from './event-source.ts';

/** A shared worker: one event stream for all tabs of this browser. A tab that is hidden gets nothing until it is shown again. */
const ports = new Set<MessagePort>();
const paused = new WeakSet<MessagePort>();

/** Milliseconds for which messages are collected: less than a frame. One task per batch is cheaper for a tab than one per event. */
const batchTime = 10;
let batch: StreamMessage[] = [];

const send = (): void => {
  const messages = batch;
  batch = [];
  for (const port of ports) if (!paused.has(port)) port.postMessage(messages);
};

let last: StreamMessage | undefined;
followEvents((message) => {
  last = message;
  batch.push(message);
  if (batch.length === 1) setTimeout(send, batchTime);
});

(self as unknown as { onconnect: (event: MessageEvent) => void }).onconnect = ({ ports: [port] }) => {
  if (port === undefined) return;
  ports.add(port);
  port.onmessage = ({ data }: MessageEvent<'pause' | 'resume' | 'close'>) => {
    if (data === 'pause') paused.add(port);
    if (data === 'resume') paused.delete(port);
    if (data === 'close') ports.delete(port);
  };
  if (last?.kind === 'heartbeat') port.postMessage([last]);
};
