/** Sends one HTTP request to a node. Rejects if the connection fails or breaks, or when `signal` aborts. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

export type TransportRequest = {
  readonly url: string;
  readonly body: string;
  /** Largest response body that is read. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
};

/** `text` is undefined if the body is longer than `maxBytes`. */
export type TransportResponse = { readonly status: number; readonly text: string | undefined };

/** The part of `fetch` that is used; the runtime's own is injected. */
export type Fetch = (
  url: string,
  init: { method: 'POST'; headers: Record<string, string>; body: string; signal: AbortSignal; redirect: 'manual' },
) => Promise<{ readonly status: number; readonly body: unknown }>;

export const fetchTransport =
  (fetch: Fetch): Transport =>
  async ({ url, body, maxBytes, signal }) => {
    // Redirects are not followed: requests go only to the configured node.
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal,
      redirect: 'manual',
    });
    // A web stream, which is async iterable in all runtimes, though their types differ.
    const stream = (response.body ?? []) as AsyncIterable<Uint8Array>;
    return { status: response.status, text: await boundedText(stream, maxBytes) };
  };

/** Reads a stream as text; undefined if it is longer than `maxBytes`. Leaving the loop early closes the stream. */
async function boundedText(stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
