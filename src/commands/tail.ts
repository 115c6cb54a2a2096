import { openEventStream } from '../client/client.ts';
import { SeracError } from '../client/fault.ts';
import { readServerSentEvents } from '../client/server-sent-events.ts';
import { addChainPrefix } from './address-spellings.ts';
import { createAmountFormatter, findAsset } from './asset-labels.ts';
import type { ClientCommand } from './client-command.ts';
import { formatEvent } from './format-event.ts';

/** Milliseconds until a lost connection is tried again, and until one without a heartbeat, which comes every 2 s, counts as lost. */
const [retryDelay, silenceLimit] = [1000, 10_000];

/** `serac tail`: prints events until it is interrupted, and resumes without gap after a lost connection. */
export const tail: ClientCommand = async ({ client, options, print, interrupted }) => {
  const filter = new URLSearchParams();
  if (options.address !== undefined) filter.set('address', addChainPrefix(options.address));
  if (options.asset !== undefined) filter.set('asset', (await findAsset(client, options.asset)).assetID);
  const formatAmount = createAmountFormatter(client);
  for (const kind of options.kind ?? []) filter.append('kind', kind);
  let lastID: string | undefined;
  let isFirst = true;
  while (!interrupted.aborted) {
    try {
      const silence = new AbortController();
      const signal = AbortSignal.any([interrupted, silence.signal]);
      const response = await openEventStream(client, `${filter}`, signal, lastID === undefined ? {} : { 'last-event-id': lastID });
      isFirst = false;
      for await (const { id, kind, data } of readServerSentEvents(withSilenceLimit(response, silence))) {
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
  !(error instanceof SeracError) ||
  error.fault.code === 'NODE_UNREACHABLE' ||
  (error.fault.code === 'NODE_HTTP' && error.fault.status === 503);
