/** One question to a node over HTTP. Rejects with whatever goes wrong below: no connection, a broken one, `signal`. */
export type Transport = (request: HttpRequest) => Promise<HttpAnswer>;

export type HttpRequest = {
  readonly url: string;
  readonly body: string;
  /** The longest answer that is read. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
};

/** `text` is undefined if there is more of it than wanted. */
export type HttpAnswer = { readonly status: number; readonly text: string | undefined };

/** What of `fetch` is needed; the runtime's own is handed in. */
export type Fetch = (
  url: string,
  init: { method: 'POST'; headers: Record<string, string>; body: string; signal: AbortSignal; redirect: 'manual' },
) => Promise<{ readonly status: number; readonly body: unknown }>;

export const fetchTransport =
  (fetch: Fetch): Transport =>
  async ({ url, body, maxBytes, signal }) => {
    // No redirects: transactions and questions go to the node that was named, and to no host that it names.
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal, redirect: 'manual' });
    // A web stream; the runtimes agree on this much of it, their types do not.
    const stream = (answer.body ?? []) as AsyncIterable<Uint8Array>;
    return { status: answer.status, text: await boundedText(stream, maxBytes) };
  };

/** Leaving the loop early closes the stream. */
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
