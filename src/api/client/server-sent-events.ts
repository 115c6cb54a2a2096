import { SeracError } from './fault.ts';

/** An event of a stream of server-sent events: its ID, its kind, and its data as JSON text. */
type StreamedEvent = { readonly id: string; readonly kind: string; readonly data: string };

/** The most characters of one event: a block with the most transactions is shorter. */
const maxEventLength = 64 * 1024 * 1024;

/** Splits a stream of server-sent events into events. Comments are skipped. */
export async function* readServerSentEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<StreamedEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let lastEventId: string | undefined;
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    if (rest.length > maxEventLength)
      throw new SeracError('an event is too long', { code: 'EVENTS_CLOSED', reason: 'event-too-long', lastEventId });
    for (const block of blocks) {
      const field = (name: string): string =>
        block
          .split('\n')
          .filter((line) => line.startsWith(`${name}:`))
          .map((line) => line.slice(name.length + 1).replace(/^ /, ''))
          .join('\n');
      const [id, data] = [field('id'), field('data')];
      if (id !== '') lastEventId = id;
      if (data !== '') yield { id, kind: field('event') || 'message', data };
    }
  }
}

/** The chunks of a response body. Ending the iteration early closes the connection. Not every browser can iterate over a body itself. */
export async function* readChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
