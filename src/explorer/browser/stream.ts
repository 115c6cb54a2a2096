import type { StreamMessage } from './event-source.ts';
import type { TabMessage } from './worker.ts';

/** `follow`: gets everything after a position, from the start or after a pause. */
type Stream = { readonly pause: () => void; readonly follow: (position: string) => void };

/** Milliseconds between two loads of a page that polls. */
const pollInterval = 2000;

/**
 * Follows the event stream through the worker that all tabs share. Where shared workers do not exist, each tab polls: an open stream per tab would use
 * up the six connections that a browser opens to a server, and the seventh tab would hang. `poll` loads the page again and returns whether the
 * server answered.
 */
export function openStream(workerUrl: string, onMessage: (message: StreamMessage) => void, poll: () => Promise<boolean>): Stream {
  if (typeof SharedWorker === 'undefined') return pollPage(onMessage, poll);
  const { port } = new SharedWorker(workerUrl, { name: 'serac-events' });
  const post = (message: TabMessage): void => port.postMessage(message);
  port.onmessage = ({ data }: MessageEvent<readonly StreamMessage[]>) => {
    for (const message of data) onMessage(message);
  };
  addEventListener('pagehide', ({ persisted }: PageTransitionEvent) => post(persisted ? 'pause' : 'close'));
  return { pause: () => post('pause'), follow: (position) => post({ follow: position }) };
}

/** Loads the page every two seconds while it is shown, one load at a time. */
function pollPage(onMessage: (message: StreamMessage) => void, poll: () => Promise<boolean>): Stream {
  let isPaused = false;
  const tick = async (): Promise<void> => {
    if (!isPaused) {
      const kind = (await poll()) ? 'heartbeat' : 'lost';
      onMessage({ kind, data: JSON.stringify({ kind }), id: '' });
    }
    setTimeout(tick, pollInterval);
  };
  void tick();
  return {
    pause: () => {
      isPaused = true;
    },
    follow: () => {
      isPaused = false;
    },
  };
}
