import { followEvents, type StreamMessage } from './event-source.ts';

/** A shared worker: one event stream for all tabs of this browser. A tab that is hidden gets nothing until it is shown again. */
const ports = new Set<MessagePort>();
const paused = new WeakSet<MessagePort>();

const send = (message: StreamMessage): void => {
  for (const port of ports) if (!paused.has(port)) port.postMessage(message);
};

let last: StreamMessage | undefined;
followEvents((message) => {
  last = message;
  send(message);
});

(self as unknown as { onconnect: (event: MessageEvent) => void }).onconnect = ({ ports: [port] }) => {
  if (port === undefined) return;
  ports.add(port);
  port.onmessage = ({ data }: MessageEvent<'pause' | 'resume' | 'close'>) => {
    if (data === 'pause') paused.add(port);
    if (data === 'resume') paused.delete(port);
    if (data === 'close') ports.delete(port);
  };
  if (last?.kind === 'heartbeat') port.postMessage(last);
};
