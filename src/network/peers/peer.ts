import { type NodeId, nodeIdText } from '../../base/bytes/node-id.ts';
import { type EncodedMessage, encodeForPeers } from '../messages/encoded-message.ts';
import { MessageError } from '../messages/fault.ts';
import { messageSize } from '../messages/frame.ts';
import { decodeMessage, type Message, type MessageOfKind } from '../messages/message.ts';
import type { ChainMessage, HoldBytes } from '../protocol/transport.ts';
import type { RegisteredStakes } from '../protocol/validators.ts';
import type { AddressBook } from './address-book.ts';
import { createInboundStream, type Throttle } from './inbound-stream.ts';
import { type CloseReason, countTraffic, increment, type NetworkCounters } from './network-counters.ts';
import type { NetworkOptions } from './network-flags.ts';
import { createOutboundQueue, type OutboundQueue } from './outbound-queue.ts';
import type { NetworkRules, VerifiedPeer } from './peer-handshake.ts';
import type { PeerLimits } from './peer-limits.ts';
import { createPeerSession } from './peer-session.ts';
import type { Endpoint, PeerSocket } from './socket.ts';
import { createTokenBucket, type PeerTiming } from './timing.ts';

/** What is known of a peer. */
export type PeerState = {
  readonly node: NodeId;
  readonly certificate: Uint8Array;
  readonly remote: Endpoint;
  /** Whether the other node opened the connection. */
  readonly isInbound: boolean;
  /** The handshake of the peer; undefined until it is verified. */
  readonly handshake: () => VerifiedPeer | undefined;
  /** Whether both sides have finished the handshake. */
  readonly isReady: () => boolean;
  readonly activity: () => PeerActivity;
  readonly throttledBy: () => Throttle | undefined;
};

/** A connection to another node. */
export type Peer = PeerState & {
  /** Queues a message. Returns false if it is dropped because the peer's queue is full. */
  readonly send: (message: EncodedMessage) => boolean;
  readonly requestAddresses: () => void;
  /** Sends a ping when it is time, and closes the connection when a timeout is over. */
  readonly tick: (now: number) => void;
  readonly close: (reason: CloseReason, details?: string) => void;
};

type PeerActivity = {
  /** Unix seconds; 0: never. */
  readonly lastSent: bigint;
  readonly lastReceived: bigint;
  /** The uptime of this node that the peer observed, in percent. */
  readonly observedUptime: number;
  /** Monotonic milliseconds. */
  readonly since: number;
};

/** An encrypted connection to a node whose certificate was checked. */
export type Connection = {
  readonly socket: PeerSocket;
  readonly node: NodeId;
  readonly certificate: Uint8Array;
  /** Whether the other node opened the connection. */
  readonly isInbound: boolean;
};

export type PeerLog = (line: string, level: 'debug' | 'info' | 'warn') => void;

/** What the network gives to each of its peers, and what it hears of them. network.ts makes one for all peers. */
export type PeerHost = {
  readonly rules: NetworkRules;
  readonly options: NetworkOptions;
  readonly timing: PeerTiming;
  readonly stakes: RegisteredStakes;
  readonly limits: PeerLimits;
  readonly addresses: Pick<AddressBook, 'filter' | 'claimsFor' | 'learn'>;
  readonly counters: NetworkCounters;
  readonly log: PeerLog;
  readonly ownHandshake: () => MessageOfKind<'handshake'>;
  /** Whether this node, as it is now, has no connections with the other. */
  readonly isRefused: (node: NodeId) => boolean;
  /** The uptime of a peer as this node measured it, in percent. */
  readonly uptimeOf: (node: NodeId) => number;
  /** Both sides have finished the handshake. */
  readonly onConnected: (peer: Peer) => void;
  /** A message for a chain. Returns whether the time it took counts for the peer: not for responses to requests of this node. */
  readonly onMessage: (from: NodeId, message: ChainMessage, hold?: HoldBytes) => boolean;
  readonly onClosed: (peer: Peer) => void;
};

/**
 * A message without effect. That a peer has left is noticed when all it sent is read, which takes seconds while it is slowed down, or at once when
 * something is sent to it.
 */
const probe: Message = { kind: 'peerList', peers: [] };

/** A connection over a socket whose certificate was checked. It sends its handshake at once. AvalancheGo: network/peer/peer.go. */
export function startPeer(host: PeerHost, { socket, node, certificate, isInbound }: Connection): Peer {
  const { options, timing, counters, limits } = host;
  const since = timing.now();
  const name = `${nodeIdText(node)} at ${socket.remote.ip}:${socket.remote.port}`;
  const queue = createOutboundQueue(node, socket, limits.outbound, timing.now);
  const bandwidth = createTokenBucket(options.bandwidthRefill, options.bandwidthBurst, since);
  const shared = limits.shared.open(node);
  let isClosed = false;
  let nextPing = since + options.pingFrequency;

  const close = (reason: CloseReason, details = ''): void => {
    if (isClosed) return;
    isClosed = true;
    inbound.close();
    queue.close();
    socket.close();
    increment(counters.closed, reason);
    host.log(`peer ${name} closed: ${reason}${details === '' ? '' : ` (${details})`}`, 'debug');
    host.onClosed(peer);
  };

  const traffic = createTraffic(host, queue, (details) => close('bad message', details));
  const onReady = (): void => host.onConnected(peer);
  const session = createPeerSession(host, { node, certificate }, traffic, { close, isClosed: () => isClosed, onReady });

  const handle = (bytes: Uint8Array, hold: HoldBytes): boolean | Promise<void> => {
    const message = traffic.receive(bytes);
    const handler = message && session.handlerOf(message.kind);
    if (message !== undefined && handler !== undefined) return handler(message);
    const isCounted = message === undefined || !session.isReady() || host.onMessage(node, message as ChainMessage, hold);
    // What this node did not ask for costs a peer without stake the bandwidth of its decompressed bytes: a few bytes may become 2 MiB.
    const excess = traffic.excess(bytes);
    shared.charge(isCounted ? excess : -bytes.length);
    if (isCounted && host.stakes.of(node) === 0n) bandwidth.reserve(excess, timing.now());
    return isCounted;
  };

  const inbound = createInboundStream({
    node,
    socket,
    timing,
    bandwidth,
    shared,
    limits,
    waits: counters.waits,
    handle,
    evicted: () => close('busy', 'it sends more than can be read'),
    broken: (reason) => close('bad frame', reason),
  });

  const peer: Peer = {
    node,
    certificate,
    remote: socket.remote,
    isInbound,
    handshake: session.handshake,
    isReady: session.isReady,
    send: traffic.send,
    requestAddresses: () => void traffic.sendMessage({ kind: 'getPeerList', knownPeers: host.addresses.filter(), allSubnets: false }),
    tick: (now) => {
      const waiting = inbound.waitingSince();
      const stalled = queue.stalledSince();
      if (waiting !== undefined && now - waiting > options.pingTimeout) close('read timeout');
      else if (stalled !== undefined && now - stalled > options.pingTimeout) close('write timeout');
      else if (!session.isReady() && now - since > options.pingTimeout) close('handshake timeout');
      else if (now >= nextPing) {
        nextPing = now + options.pingFrequency;
        session.ping(now);
      } else if (session.isReady() && inbound.throttledBy() !== undefined) traffic.sendMessage(probe);
    },
    close,
    activity: () => ({ ...traffic.last(), observedUptime: session.observedUptime(), since }),
    throttledBy: inbound.throttledBy,
  };

  socket.start({ data: inbound.append, closed: () => close('closed by the peer') });
  traffic.sendMessage(host.ownHandshake(), true);
  return peer;
}

export type PeerTraffic = ReturnType<typeof createTraffic>;

/** Encodes and decodes the messages of one peer, and counts them. `tooLarge` is called for a message that exceeds a limit of AvalancheGo. */
function createTraffic(
  { options, timing, counters }: Pick<PeerHost, 'options' | 'timing' | 'counters'>,
  queue: Pick<OutboundQueue, 'push'>,
  tooLarge: (details: string) => void,
) {
  let lastSent = 0n;
  let lastReceived = 0n;
  let decompressedSize: number | undefined;
  const onDecompressed = (size: number): void => {
    decompressedSize = size;
  };

  /** Undefined for a message that AvalancheGo ignores; limits of handshakes and peer lists close the connection. */
  const decode = (bytes: Uint8Array): Message | undefined => {
    decompressedSize = undefined;
    try {
      return decodeMessage(bytes, onDecompressed);
    } catch (error) {
      if (!(error instanceof MessageError)) throw error;
      counters.failedToParse++;
      if (error.fault.code === 'MESSAGE_BAD_COMPRESSION') decompressedSize = error.fault.length;
      if (isLimit.has(error.fault.code) && closingKinds.has(error.messageKind ?? '')) tooLarge(error.message);
      return undefined;
    }
  };

  const send = (message: EncodedMessage, isExempt = false): boolean => {
    if (!queue.push(message.frame, isExempt, timing.now())) {
      increment(counters.failedToSend, message.kind);
      return false;
    }
    lastSent = timing.unixSeconds();
    counters.lastSent = lastSent;
    countTraffic(counters.sent, message.kind, messageSize(message.frame), message.isCompressed, message.saved);
    return true;
  };

  return {
    send,
    sendMessage: (message: Message, isExempt = false): boolean => send(encodeForPeers(message, options.compression), isExempt),
    receive: (bytes: Uint8Array): Message | undefined => {
      const message = decode(bytes);
      if (message === undefined) return undefined;
      lastReceived = timing.unixSeconds();
      counters.lastReceived = lastReceived;
      const isCompressed = decompressedSize !== undefined;
      countTraffic(counters.received, message.kind, bytes.length, isCompressed, (decompressedSize ?? bytes.length) - bytes.length);
      return message;
    },
    /** Bytes by which the last received message, good or bad, grew when it was decompressed. */
    excess: (bytes: Uint8Array): number => Math.max(0, (decompressedSize ?? 0) - bytes.length),
    /** Unix seconds of the last message in each direction; 0: never. */
    last: () => ({ lastSent, lastReceived }),
  };
}

/** Messages whose limits AvalancheGo checks itself; in others it has no limits, or ignores the message. */
const closingKinds: ReadonlySet<string> = new Set(['handshake', 'peerList', 'getPeerList']);
const isLimit: ReadonlySet<string> = new Set(['MESSAGE_FIELD_TOO_LARGE', 'MESSAGE_TOO_MANY_ELEMENTS', 'MESSAGE_ID_LENGTH']);
