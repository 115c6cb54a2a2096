import type { NodeId } from '../../base/bytes/node-id.ts';
import type { ByteBudget, ByteGrant } from './byte-budget.ts';
import type { PeerSocket } from './socket.ts';

/** Bytes given to the socket before it has taken earlier ones. */
const maxInFlight = 65_536;

/** Frames are joined to one write up to this size, that of a TLS record. A larger frame is written alone, without a copy. */
const maxJoined = 16_384;

/**
 * Messages to a peer that wait for the socket. Those of one event-loop turn are written together: a write costs more than a small message. A
 * message that does not fit is dropped. AvalancheGo: network/peer/message_queue.go.
 */
export type OutboundQueue = ReturnType<typeof createOutboundQueue>;

type Entry = { readonly frame: Uint8Array; readonly grant: ByteGrant | undefined };

export function createOutboundQueue(node: NodeId, socket: Pick<PeerSocket, 'write'>, budget: ByteBudget, now: () => number) {
  const queue: Entry[] = [];
  /** The frames of each write that the socket has not taken. */
  const inFlight = new Set<readonly Entry[]>();
  let inFlightBytes = 0;
  let progressed = 0;
  let isFlushDue = false;
  let isClosed = false;

  /** Takes the next frames that are written together. */
  const takeNext = (): Entry[] => {
    let [count, size] = [0, 0];
    while (count < queue.length) {
      size += (queue[count] as Entry).frame.length;
      if (count > 0 && size > maxJoined) break;
      count++;
    }
    return queue.splice(0, count);
  };
  const flush = (): void => {
    isFlushDue = false;
    while (!isClosed && inFlightBytes < maxInFlight && queue.length > 0) {
      const entries = takeNext();
      const bytes = entries.length === 1 ? (entries[0] as Entry).frame : Buffer.concat(entries.map(({ frame }) => frame));
      inFlight.add(entries);
      inFlightBytes += bytes.length;
      socket.write(bytes, () => {
        if (!inFlight.delete(entries)) return;
        inFlightBytes -= bytes.length;
        progressed = now();
        for (const { grant } of entries) grant?.release();
        flush();
      });
    }
  };

  return {
    /** Queues a frame. Returns false if it is dropped. `isExempt`: it must not be dropped. */
    push: (frame: Uint8Array, isExempt: boolean, at: number): boolean => {
      if (isClosed) return false;
      const grant = isExempt ? undefined : budget.take(node, frame.length);
      if (grant === undefined && !isExempt) return false;
      if (inFlight.size === 0 && queue.length === 0) progressed = at;
      queue.push({ frame, grant });
      if (!isFlushDue && inFlightBytes < maxInFlight) {
        isFlushDue = true;
        // After the code that is running now, before any other event.
        queueMicrotask(flush);
      }
      return true;
    },
    /** Since when the socket has taken nothing although there is something to send. */
    stalledSince: (): number | undefined => (inFlight.size === 0 ? undefined : progressed),
    close: (): void => {
      isClosed = true;
      for (const { grant } of [...queue, ...[...inFlight].flat()]) grant?.release();
      queue.length = 0;
      inFlight.clear();
    },
  };
}
