import type { NodeId } from '../../base/bytes/node-id.ts';
import type { MessageOfKind } from '../messages/message.ts';
import type { HandshakePeer, Version } from '../protocol/handshake.ts';
import type { ChainMessage, HoldBytes } from '../protocol/transport.ts';
import type { CloseReason, NetworkCounters } from './counters.ts';
import type { EncodedMessage } from './encoded-message.ts';
import type { Throttle } from './inbound-stream.ts';
import type { KnownFilter } from './known-addresses.ts';
import type { NetworkOptions } from './network-flags.ts';
import type { PeerLimits } from './peer-limits.ts';
import type { Endpoint } from './socket.ts';
import type { RegisteredStakes } from './stake.ts';
import type { PeerTiming } from './timing.ts';

/** What versions of other nodes this node accepts. AvalancheGo: version/compatibility.go. */
export type Compatibility = {
  /** Version that this node announces. */
  readonly version: Version & { readonly name: string };
  readonly minimum: Version;
  /** The minimum from the time of the newest upgrade on. */
  readonly minimumAfterUpgrade: Version;
  /** Unix seconds of the newest upgrade; peers compare it with theirs. */
  readonly upgradeTime: bigint;
};

export type PeerLog = (line: string, level: 'debug' | 'info' | 'warn') => void;

/** A peer by its handshake, with the signatures of its address. */
export type VerifiedPeer = HandshakePeer & { readonly tlsSignature: Uint8Array; readonly blsSignature: Uint8Array };

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

/** What this node announces in its handshake, and accepts in those of others. */
export type NetworkRules = {
  readonly networkId: number;
  readonly compatibility: Compatibility;
  /** ACPs that are being voted on. */
  readonly currentAcps: ReadonlySet<number>;
};

/** The addresses of nodes that peers tell each other. */
export type PeerAddresses = {
  /** The addresses that this node knows. */
  readonly filter: () => { readonly filter: Uint8Array; readonly salt: Uint8Array };
  /** The encoded addresses for a peer that knows those in the filter. */
  readonly claimsFor: (peer: NodeId, known: KnownFilter | undefined) => readonly Uint8Array[];
  /** Takes the addresses of a peer list. Throws a PeerError for a bad signature. */
  readonly learn: (claims: MessageOfKind<'peerList'>['peers'], from: NodeId) => void;
};

/** What a peer tells the network that it belongs to. */
export type PeerEvents = {
  readonly connected: (peer: Peer) => void;
  /** Returns whether the time it took counts for the peer: not for responses to requests of this node. */
  readonly receive: (from: NodeId, message: ChainMessage, hold?: HoldBytes) => boolean;
  readonly closed: (peer: Peer, reason: CloseReason) => void;
};

/** What all peers of a network share. */
export type PeerContext = {
  readonly rules: NetworkRules;
  readonly options: NetworkOptions;
  readonly timing: PeerTiming;
  readonly stakes: RegisteredStakes;
  readonly limits: PeerLimits;
  readonly addresses: PeerAddresses;
  readonly counters: NetworkCounters;
  readonly log: PeerLog;
  readonly ownHandshake: () => MessageOfKind<'handshake'>;
  readonly standing: {
    /** Whether this node, as it is now, has no connections with the other. */
    readonly isRefused: (node: NodeId) => boolean;
    /** The uptime of a peer as this node measured it, in percent. */
    readonly uptimeOf: (node: NodeId) => number;
  };
  readonly events: PeerEvents;
};

/** The lowest version that is accepted now. */
export const minimumVersion = ({ minimum, minimumAfterUpgrade, upgradeTime }: Compatibility, now: bigint): Version =>
  now < upgradeTime ? minimum : minimumAfterUpgrade;
