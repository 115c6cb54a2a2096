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
) => Promise<FetchResponse>;

type FetchResponse = {
  readonly status: number;
  readonly headers: { readonly get: (name: string) => string | null };
  readonly body: unknown;
  readonly text: () => Promise<string>;
};

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
    return { status: response.status, text: await (isWithin(response, maxBytes) ? response.text() : boundedText(response, maxBytes)) };
  };

/** Whether a body has at most `maxBytes` by its header: the runtime reads no more than that, unless it comes in chunks or compressed. */
const isWithin = ({ headers }: FetchResponse, maxBytes: number): boolean => {
  const length = headers.get('content-length');
  return length !== null && Number(length) <= maxBytes && !unboundedBy.some((name) => headers.get(name) !== null);
};

const unboundedBy = ['content-encoding', 'transfer-encoding'];

/** Reads a body as text; undefined if it is longer than `maxBytes`. Leaving the loop early closes the stream. `text` takes less time. */
async function boundedText({ body }: FetchResponse, maxBytes: number): Promise<string | undefined> {
  // A web stream, which is async iterable in all runtimes, though their types differ.
  const stream = (body ?? []) as AsyncIterable<Uint8Array>;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
