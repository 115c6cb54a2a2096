import { createStreamLimit, type EndStream, type MemoryStreamLimit, type StreamLimit } from '../../api/access/stream-limit.ts';
import type { Channel } from '../platform/node-processes.ts';
import type { MessageFromReader, MessageToReader } from './messages.ts';
import type { RelayTimers } from './relay.ts';

/** Milliseconds; far longer than an answer takes unless the writer process hangs. */
const writerTimeout = 1000;

/**
 * The stream limit of a reader process: the writer process counts the streams of all processes. While it does not answer, this process admits
 * an equal share. `processes`: the number of processes that serve requests, the writer included.
 */
export function createRelayedStreamLimit(
  channel: Channel,
  after: RelayTimers['after'],
  { max, processes }: { readonly max: number; readonly processes: number },
): StreamLimit {
  const share = createStreamLimit(Math.ceil(max / processes));
  const pending = new Map<number, (isTaken: boolean) => void>();
  /** The clients of open streams that the writer process has counted. */
  const counted = new Map<number, string>();
  let lastId = 0;
  const send = (message: MessageFromReader): void => channel.send(message);
  channel.onMessage((message) => {
    const received = message as MessageToReader;
    // A new writer process counts the open streams too.
    if (received.reader === 'start') for (const [id, client] of counted) send({ reader: 'takeStream', id, client });
    if (received.reader !== 'streamTaken' || counted.has(received.id)) return;
    const { id, isTaken } = received;
    const resolve = pending.get(id);
    pending.delete(id);
    if (resolve !== undefined) resolve(isTaken);
    else if (isTaken) send({ reader: 'endStream', id });
  });
  return {
    max,
    take: async (client) => {
      const id = ++lastId;
      const isTaken = await new Promise<boolean | undefined>((resolve) => {
        const cancel = after(writerTimeout, () => {
          pending.delete(id);
          resolve(undefined);
        });
        pending.set(id, (answer) => {
          cancel();
          resolve(answer);
        });
        send({ reader: 'takeStream', id, client });
      });
      if (isTaken === undefined) return share.take(client);
      if (!isTaken) return undefined;
      counted.set(id, client);
      return () => {
        counted.delete(id);
        send({ reader: 'endStream', id });
      };
    },
  };
}

/** The writer process's side for one reader process. Returns the function to call when that process has ended, which ends its streams. */
export function serveStreamLimit(channel: Channel, limit: MemoryStreamLimit): () => void {
  const open = new Map<number, EndStream>();
  channel.onMessage((message) => {
    const received = message as MessageFromReader;
    if (received.reader === 'takeStream') {
      const { id, client } = received;
      const end = limit.take(client);
      if (end !== undefined) open.set(id, end);
      channel.send({ reader: 'streamTaken', id, isTaken: end !== undefined } satisfies MessageToReader);
    }
    if (received.reader !== 'endStream') return;
    open.get(received.id)?.();
    open.delete(received.id);
  });
  return () => {
    for (const end of open.values()) end();
    open.clear();
  };
}
