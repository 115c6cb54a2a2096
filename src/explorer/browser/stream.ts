import { followEvents, type StreamMessage } from './event-source.ts';

type Stream = { readonly pause: () => void; readonly resume: () => void };

/** Follows the event stream through the worker that all tabs share; directly where shared workers do not exist. */
export function openStream(workerUrl: string, onMessage: (message: StreamMessage) => void): Stream {
  if (typeof SharedWorker === 'undefined') {
    let isPaused = false;
    followEvents((message) => {
      if (!isPaused) onMessage(message);
    });
    return {
      pause: () => {
        isPaused = true;
      },
      resume: () => {
        isPaused = false;
      },
    };
  }
  const { port } = new SharedWorker(workerUrl, { name: 'serac-events' });
  port.onmessage = ({ data }: MessageEvent<readonly StreamMessage[]>) => {
    for (const message of data) onMessage(message);
  };
  addEventListener('pagehide', ({ persisted }: PageTransitionEvent) => port.postMessage(persisted ? 'pause' : 'close'));
  return { pause: () => port.postMessage('pause'), resume: () => port.postMessage('resume') };
}
