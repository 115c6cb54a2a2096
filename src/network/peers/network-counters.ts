import type { MessageKind } from '../messages/message.ts';

/** What the network layer counts since its start. Plain numbers: counting must cost nothing. */
export type NetworkCounters = ReturnType<typeof createCounters>;

export const createCounters = () => ({
  timesConnected: 0,
  timesDisconnected: 0,
  acceptFailed: 0,
  tlsRejected: 0,
  /** Connections closed by this node, by reason. The reasons are a fixed set. */
  closed: new Map<CloseReason, number>(),

  /** Unix seconds of the last message to or from any peer; 0: never. */
  lastSent: 0n,
  lastReceived: 0n,
  failedToParse: 0,
  failedToSend: new Map<MessageKind, number>(),
  sent: new Map() as TrafficCounts,
  received: new Map() as TrafficCounts,
  /** Waits of messages before they are read. Sums in milliseconds. `cpu`: messages that waited for the peer's share of the CPU, and others. */
  waits: { bandwidth: { count: 0, sum: 0 }, bytes: { count: 0, sum: 0 }, cpu: { waits: 0, noWaits: 0 } },
  uselessPeerListBytes: 0,

  roundTrips: 0,
  /** Milliseconds. */
  roundTripSum: 0,
  clockSkews: 0,
  /** Seconds. */
  clockSkewSum: 0,
});

/** By kind of message. `compressed` are also counted in `messages`; `saved` are the bytes that compression saved. */
export type TrafficCounts = Map<MessageKind, { messages: number; compressed: number; bytes: number; saved: number }>;

/** Why a connection ended. */
export type CloseReason =
  | 'closed by the peer'
  | 'shutting down'
  | 'self'
  | 'duplicate'
  | 'not wanted'
  | 'blocked'
  | 'too many peers'
  | 'no certificate'
  | 'bad certificate'
  | 'bad frame'
  | 'bad message'
  | 'bad handshake'
  | 'bad peer list'
  | 'bad BLS signature'
  | 'incompatible version'
  | 'unexpected pong'
  | 'read timeout'
  | 'write timeout'
  | 'handshake timeout'
  | 'busy';

export function countTraffic(counts: TrafficCounts, kind: MessageKind, bytes: number, isCompressed: boolean, saved: number): void {
  let row = counts.get(kind);
  if (row === undefined) {
    row = { messages: 0, compressed: 0, bytes: 0, saved: 0 };
    counts.set(kind, row);
  }
  row.messages++;
  row.bytes += bytes;
  row.saved += saved;
  if (isCompressed) row.compressed++;
}

export const increment = <K>(counts: Map<K, number>, key: K): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
