/** A message of the event stream: its kind and its JSON, not parsed. */
export type StreamMessage = { readonly kind: string; readonly data: string };

const kinds = ['block', 'tx', 'reverted', 'mempool', 'time', 'health', 'reset', 'heartbeat', 'closed'] as const;

/** Milliseconds until the stream is opened again after the server refused it. */
const retryDelay = 1000;

/** Failed attempts in a row after which the stream counts as lost: a node that restarts within a second is not shown as lost. */
const maxFailures = 2;

/** Follows /ext/events for ever. After a lost connection it resumes behind the last event; `lost` says that attempts fail. */
export function followEvents(onMessage: (message: StreamMessage) => void): void {
  let lastID = '';
  let failures = 0;
  const open = (): void => {
    const source = new EventSource(`/ext/events${lastID === '' ? '' : `?lastEventId=${encodeURIComponent(lastID)}`}`);
    for (const kind of kinds)
      source.addEventListener(kind, (event) => {
        failures = 0;
        if (event.lastEventId !== '') lastID = event.lastEventId;
        onMessage({ kind, data: event.data as string });
      });
    // The browser reconnects by itself unless the server answered with an error.
    source.onerror = () => {
      source.close();
      if (++failures >= maxFailures) onMessage({ kind: 'lost', data: '{"kind":"lost"}' });
      setTimeout(open, retryDelay);
    };
  };
  open();
}
