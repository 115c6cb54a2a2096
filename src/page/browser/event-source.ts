/** A message of the event stream: its kind and its JSON, not parsed. */
export type StreamMessage = { readonly kind: string; readonly data: string };

const kinds = ['block', 'tx', 'reverted', 'mempool', 'time', 'health', 'reset', 'heartbeat', 'closed'] as const;

/** Milliseconds until the stream is opened again after the server refused it. */
const retryDelay = 1000;

/** Follows /ext/events for ever. After a lost connection it resumes behind the last event. */
export function followEvents(onMessage: (message: StreamMessage) => void): void {
  let lastID = '';
  const open = (): void => {
    const source = new EventSource(`/ext/events${lastID === '' ? '' : `?lastEventId=${encodeURIComponent(lastID)}`}`);
    for (const kind of kinds)
      source.addEventListener(kind, (event) => {
        if (event.lastEventId !== '') lastID = event.lastEventId;
        onMessage({ kind, data: event.data as string });
      });
    // The browser reconnects by itself unless the server answered with an error.
    source.onerror = () => {
      source.close();
      setTimeout(open, retryDelay);
    };
  };
  open();
}
