/** A message of the event stream: its kind and its JSON, not parsed. `id`: the position after it; empty for a live event. */
export type StreamMessage = { readonly kind: string; readonly data: string; readonly id: string };

const resumableKinds = ['block', 'tx', 'reverted', 'reset', 'heartbeat'] as const;
const liveKinds = ['mempool', 'time', 'settings', 'calls', 'health', 'closed'] as const;

/** Milliseconds until the stream is opened again after the server refused it. */
const retryDelay = 1000;

/** Failed attempts in a row after which the stream counts as lost: a node that restarts within a second is not shown as lost. */
const maxFailures = 2;

/**
 * Follows /ext/events for ever, from a position on; an empty one is now. After a lost connection it resumes behind the last event; `lost`
 * says that attempts fail.
 */
export function followEvents(position: string, onMessage: (message: StreamMessage) => void): void {
  let lastID = position;
  let failures = 0;
  const open = (): void => {
    const source = new EventSource(`/ext/events${lastID === '' ? '' : `?lastEventId=${encodeURIComponent(lastID)}`}`);
    const listen = (kind: string, idOf: (event: MessageEvent) => string): void =>
      source.addEventListener(kind, (event) => {
        failures = 0;
        if (event.lastEventId !== '') lastID = event.lastEventId;
        onMessage({ kind, data: event.data as string, id: idOf(event) });
      });
    for (const kind of resumableKinds) listen(kind, ({ lastEventId }) => lastEventId);
    for (const kind of liveKinds) listen(kind, () => '');
    // The browser reconnects by itself unless the server answered with an error.
    source.onerror = () => {
      source.close();
      if (++failures >= maxFailures) onMessage({ kind: 'lost', data: '{"kind":"lost"}', id: '' });
      setTimeout(open, retryDelay);
    };
  };
  open();
}
