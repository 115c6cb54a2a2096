import { followEvents, type StreamMessage } from './event-source.ts';
import { createMessageBuffer } from './message-buffer.ts';
import type { TabMessage } from './worker.ts';

/** `follow`: gets everything after a position, from the start or after a pause. */
type Stream = { readonly pause: () => void; readonly follow: (position: string) => void };

/** Follows the event stream through the worker that all tabs share; directly where shared workers do not exist. */
export function openStream(workerUrl: string, onMessage: (message: StreamMessage) => void): Stream {
  if (typeof SharedWorker === 'undefined') return openOwnStream(onMessage);
  const { port } = new SharedWorker(workerUrl, { name: 'serac-events' });
  const post = (message: TabMessage): void => port.postMessage(message);
  port.onmessage = ({ data }: MessageEvent<readonly StreamMessage[]>) => {
    for (const message of data) onMessage(message);
  };
  addEventListener('pagehide', ({ persisted }: PageTransitionEvent) => post(persisted ? 'pause' : 'close'));
  return { pause: () => post('pause'), follow: (position) => post({ follow: position }) };
}

/** The stream goes on during a pause; what came meanwhile is kept. */
function openOwnStream(onMessage: (message: StreamMessage) => void): Stream {
  let isPaused = false;
  let buffer: ReturnType<typeof createMessageBuffer> | undefined;
  const start = (position: string): ReturnType<typeof createMessageBuffer> => {
    const created = createMessageBuffer(position);
    followEvents(position, (message) => {
      created.add(message);
      if (!isPaused) onMessage(message);
    });
    return created;
  };
  return {
    pause: () => {
      isPaused = true;
    },
    follow: (position) => {
      isPaused = false;
      buffer ??= start(position);
      for (const message of buffer.after(position)) onMessage(message);
    },
  };
}
