import { ClientError } from '../client/fault.ts';
import type { RpcClient } from '../client/rpc-client.ts';
import { createAmountFormatter, findAsset } from './asset-labels.ts';
import type { ClientCommand } from './client-command.ts';
import { formatEvent } from './format-event.ts';

/** An event of the stream: its ID, its kind, and its data as JSON text. */
export type StreamedEvent = { readonly id: string; readonly kind: string; readonly data: string };

/** Splits a stream of server-sent events into events. Comments, which keep the connection alive, are skipped. */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<StreamedEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    if (rest.length > maxEventLength) throw new ClientError('an event is too long', { code: 'NODE_HTTP', url: '/ext/events', status: 200 });
    for (const block of blocks) {
      const field = (name: string): string =>
        block
          .split('\n')
          .filter((line) => line.startsWith(`${name}:`))
          .map((line) => line.slice(name.length + 1).replace(/^ /, ''))
          .join('\n');
      const data = field('data');
      if (data !== '') yield { id: field('id'), kind: field('event') || 'message', data };
    }
  }
}

/** Milliseconds until a lost connection is tried again, and until one without a heartbeat, which comes every 2 s, counts as lost. */
const [retryDelay, silenceLimit] = [1000, 10_000];

/** Characters of the longest event: a block of the largest size is below 8 MiB. */
const maxEventLength = 32 * 1024 * 1024;

/** `serac tail`: prints events until it is interrupted, and resumes without gap after a lost connection. */
export const tail: ClientCommand = async ({ client, options, print, interrupted }) => {
  const filter = new URLSearchParams();
  if (options.address !== undefined) filter.set('address', options.address);
  if (options.asset !== undefined) filter.set('asset', (await findAsset(client, options.asset)).assetID);
  const formatAmount = createAmountFormatter(client);
  for (const kind of options.kind ?? []) filter.append('kind', kind);
  let lastID: string | undefined;
  let isFirst = true;
  while (!interrupted.aborted) {
    try {
      const silence = new AbortController();
      const response = await openStream(client, filter, lastID, AbortSignal.any([interrupted, silence.signal]));
      isFirst = false;
      for await (const { id, kind, data } of readEvents(withSilenceLimit(response, silence))) {
        if (id !== '') lastID = id;
        if (options.json) {
          if (kind !== 'heartbeat') print(data);
        } else for (const line of await formatEvent(kind, data, formatAmount)) print(line);
      }
    } catch (error) {
      if (interrupted.aborted) return undefined;
      if (isFirst || !isLostConnection(error)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, retryDelay));
  }
  return undefined;
};

/** Passes the chunks of a stream on; aborts it if none comes for too long. */
async function* withSilenceLimit(chunks: AsyncIterable<Uint8Array>, silence: AbortController): AsyncGenerator<Uint8Array> {
  let timer = setTimeout(() => silence.abort(), silenceLimit);
  try {
    for await (const chunk of chunks) {
      clearTimeout(timer);
      yield chunk;
      timer = setTimeout(() => silence.abort(), silenceLimit);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** A node that is starting or stopping may answer with status 503. */
const isLostConnection = (error: unknown): boolean =>
  !(error instanceof ClientError) ||
  error.fault.code === 'NODE_UNREACHABLE' ||
  (error.fault.code === 'NODE_HTTP' && error.fault.status === 503);

async function openStream(
  client: RpcClient,
  filter: URLSearchParams,
  lastID: string | undefined,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const response = await client.request(`/ext/events?${filter}`, {
    headers: { accept: 'text/event-stream', ...(lastID !== undefined && { 'last-event-id': lastID }) },
    signal,
  });
  if (response.ok && response.body !== null) return response.body as unknown as AsyncIterable<Uint8Array>;
  throw new ClientError(`${client.url}/ext/events: ${(await response.text()).slice(0, 300) || `status ${response.status}`}`, {
    code: 'NODE_HTTP',
    url: client.url,
    status: response.status,
  });
}
