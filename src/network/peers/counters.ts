import type { MessageKind } from '../messages/message.ts';

/** Connections. */
export type ConnectionCounters = {
  timesConnected: number;
  timesDisconnected: number;
  acceptFailed: number;
  tlsRejected: number;
  /** Connections closed by this node, by reason. The reasons are a fixed set. */
  readonly closed: Map<CloseReason, number>;
};

/** Messages. */
export type TrafficCounters = {
  /** Unix seconds of the last message to or from any peer; 0: never. */
  lastSent: bigint;
  lastReceived: bigint;
  failedToParse: number;
  readonly failedToSend: Map<MessageKind, number>;
  readonly sent: TrafficCounts;
  readonly received: TrafficCounts;
  /** Waits of messages before they are read. Sums in milliseconds. */
  readonly waits: {
    bandwidth: { count: number; sum: number };
    bytes: { count: number; sum: number };
    /** Messages that waited for the peer's share of the CPU, and those that did not. */
    cpu: { waits: number; noWaits: number };
  };
  uselessPeerListBytes: number;
};

/** What the network layer counts since its start. Plain numbers: counting must cost nothing. */
export type NetworkCounters = ConnectionCounters &
  TrafficCounters & {
    roundTrips: number;
    /** Milliseconds. */
    roundTripSum: number;
    clockSkews: number;
    /** Seconds. */
    clockSkewSum: number;
  };

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

export const createCounters = (): NetworkCounters => ({
  lastSent: 0n,
  lastReceived: 0n,
  timesConnected: 0,
  timesDisconnected: 0,
  acceptFailed: 0,
  tlsRejected: 0,
  uselessPeerListBytes: 0,
  failedToParse: 0,
  roundTrips: 0,
  roundTripSum: 0,
  clockSkews: 0,
  clockSkewSum: 0,
  waits: { bandwidth: { count: 0, sum: 0 }, bytes: { count: 0, sum: 0 }, cpu: { waits: 0, noWaits: 0 } },
  sent: new Map(),
  received: new Map(),
  failedToSend: new Map(),
  closed: new Map(),
});

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
