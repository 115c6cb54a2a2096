import { openEventStream } from '../client/client.ts';
import { SeracError } from '../client/fault.ts';
import { readServerSentEvents } from '../client/server-sent-events.ts';
import type { ClientCommand } from './client-command.ts';

/** Milliseconds until a lost connection is tried again. */
const retryDelay = 1000;

/** `serac tail`: prints events until it is interrupted, and resumes without gap after a lost connection. */
export const tail: ClientCommand = async ({ client, options, print, interrupted }) => {
  const filter = new URLSearchParams();
  if (options.address !== undefined) filter.set('address', options.address);
  if (options.asset !== undefined) filter.set('asset', options.asset);
  for (const kind of options.kind ?? []) filter.append('kind', kind);
  let lastID: string | undefined;
  let isFirst = true;
  while (!interrupted.aborted) {
    try {
      const response = await openEventStream(client, `${filter}`, interrupted, lastID === undefined ? {} : { 'last-event-id': lastID });
      isFirst = false;
      for await (const { id, kind, data } of readServerSentEvents(response)) {
        if (id !== '') lastID = id;
        print(options.json ? `{"id":${JSON.stringify(id)},"kind":${JSON.stringify(kind)},"data":${data}}` : `${kind.padEnd(8)} ${data}`);
      }
    } catch (error) {
      if (interrupted.aborted) return undefined;
      if (isFirst || !isLostConnection(error)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, retryDelay));
  }
  return undefined;
};

const isLostConnection = (error: unknown): boolean => !(error instanceof SeracError) || error.fault.code === 'NODE_UNREACHABLE';
