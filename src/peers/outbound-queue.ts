import type { NodeId } from '../bytes/node-id.ts';
import type { ByteBudget, ByteGrant } from './byte-budget.ts';
import type { PeerSocket } from './socket.ts';

/** Bytes given to the socket before it has taken earlier ones. */
const maxInFlight = 65_536;

/** Messages to a peer that wait for the socket. A message that does not fit is dropped. AvalancheGo: network/peer/message_queue.go. */
export type OutboundQueue = {
  /** Queues a frame. Returns false if it is dropped. `isExempt`: it must not be dropped. */
  readonly push: (frame: Uint8Array, isExempt: boolean, now: number) => boolean;
  /** Since when the socket has taken nothing although there is something to send. */
  readonly stalledSince: () => number | undefined;
  readonly close: () => void;
};

type Entry = { readonly frame: Uint8Array; readonly grant: ByteGrant | undefined };

export function createOutboundQueue(node: NodeId, socket: Pick<PeerSocket, 'write'>, budget: ByteBudget, now: () => number): OutboundQueue {
  const queue: Entry[] = [];
  const inFlight = new Set<Entry>();
  let inFlightBytes = 0;
  let progressed = 0;
  let isClosed = false;

  const flush = (): void => {
    while (!isClosed && inFlightBytes < maxInFlight) {
      const entry = queue.shift();
      if (entry === undefined) return;
      inFlight.add(entry);
      inFlightBytes += entry.frame.length;
      socket.write(entry.frame, () => {
        if (!inFlight.delete(entry)) return;
        inFlightBytes -= entry.frame.length;
        progressed = now();
        entry.grant?.release();
        flush();
      });
    }
  };

  return {
    push: (frame, isExempt, at) => {
      if (isClosed) return false;
      const grant = isExempt ? undefined : budget.take(node, frame.length);
      if (grant === undefined && !isExempt) return false;
      if (inFlight.size === 0 && queue.length === 0) progressed = at;
      queue.push({ frame, grant });
      flush();
      return true;
    },
    stalledSince: () => (inFlight.size === 0 ? undefined : progressed),
    close: () => {
      isClosed = true;
      for (const { grant } of [...queue, ...inFlight]) grant?.release();
      queue.length = 0;
      inFlight.clear();
    },
  };
}
