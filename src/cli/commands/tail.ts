import { openEventStream } from '../../api/client/client.ts';
import { SeracError } from '../../api/client/fault.ts';
import type { RpcClient } from '../../api/client/rpc-client.ts';
import { readServerSentEvents } from '../../api/client/server-sent-events.ts';
import { createSilenceLimit } from '../../api/client/silence-limit.ts';
import { createAmountFormatter, createAssetDescriber, findAsset } from './asset-labels.ts';
import type { ClientCommand, ClientContext } from './client-command.ts';
import { type EventWriters, formatEvent } from './format-event.ts';
import { requireAddress } from './named-address.ts';
import { createSentenceWriter } from './tx-sentence.ts';

/** Milliseconds until a lost connection is tried again, and until one without a heartbeat, which comes every 2 s, counts as lost. */
const [retryDelay, silenceLimit] = [1000, 10_000];

/** `serac tail`: prints events until it is interrupted. */
export const tail: ClientCommand = async (context) => {
  const { client, options, print } = context;
  const filter = new URLSearchParams();
  if (options.address !== undefined) filter.set('address', await requireAddress(client, options.address));
  if (options.asset !== undefined) filter.set('asset', (await findAsset(client, options.asset)).assetID);
  for (const kind of options.kind ?? []) filter.append('kind', kind);
  const writers = createWriters(client);
  return followEvents(context, filter, async (kind, data) => {
    if (options.json) {
      if (!isUnasked(kind, options.kind)) print(data);
    } else for (const line of await formatEvent(kind, data, writers)) print(line);
  });
};

/** Heartbeats, and news of the log of calls unless they are asked for: every call of anybody causes them while somebody reads that log. */
const isUnasked = (kind: string, asked: readonly string[] = []): boolean =>
  kind === 'heartbeat' || (kind === 'calls' && !asked.includes(kind));

export function createWriters(client: RpcClient): EventWriters {
  const describe = createAssetDescriber(client);
  return { formatAmount: createAmountFormatter(describe), writeSentence: createSentenceWriter(client, describe) };
}

/** Calls `handle` for each event after the one with the ID `after`, or for each new one, until the command is interrupted. A lost connection leaves no gap. */
export async function followEvents(
  { client, onInterrupt }: ClientContext,
  filter: URLSearchParams,
  handle: (kind: string, data: string) => Promise<void>,
  after?: string,
): Promise<undefined> {
  const interrupted = onInterrupt();
  let lastID = after;
  let isFirst = true;
  let silence: ReturnType<typeof createSilenceLimit> | undefined;
  while (!interrupted.aborted) {
    try {
      silence = createSilenceLimit(silenceLimit);
      const signal = AbortSignal.any([interrupted, silence.signal]);
      const response = await openEventStream(client, `${filter}`, signal, lastID === undefined ? {} : { 'last-event-id': lastID });
      isFirst = false;
      for await (const { id, kind, data } of readServerSentEvents(silence.watch(response))) {
        await handle(kind, data);
        // Only now: an event whose handling failed, because the node was lost meanwhile, comes again.
        if (id !== '') lastID = id;
      }
    } catch (error) {
      if (interrupted.aborted) return undefined;
      if (isFirst || !isLostConnection(error)) throw error;
    } finally {
      silence?.stop();
    }
    await new Promise((resolve) => setTimeout(resolve, retryDelay));
  }
  return undefined;
}

/** A node that is starting or stopping may answer with status 503. */
const isLostConnection = (error: unknown): boolean =>
  !(error instanceof SeracError) ||
  error.fault.code === 'NODE_UNREACHABLE' ||
  (error.fault.code === 'NODE_HTTP' && error.fault.status === 503);
