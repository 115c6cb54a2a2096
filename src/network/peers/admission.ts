import { endpointText, isLoopbackHost, remoteText } from '../../base/bytes/ip-address.ts';
import { type NodeId, nodeIdOfCertificate } from '../../base/bytes/node-id.ts';
import { CertificateError, certificatePublicKey } from '../identity/staking-certificate.ts';
import type { Stakes } from '../protocol/validators.ts';
import { type CloseReason, increment, type NetworkCounters } from './network-counters.ts';
import type { NetworkOptions } from './network-flags.ts';
import type { OwnKeyAlert } from './own-key-alert.ts';
import type { Connection } from './peer.ts';
import type { PeerSocket } from './socket.ts';
import { createTokenBucket, type PeerTiming } from './timing.ts';

/** Three decisions about a connection: may its TLS handshake begin, is its node wanted, does it become a peer. network.ts asks them in this order. */

/**
 * Decides which inbound connections may begin a TLS handshake. The clock is an argument, in milliseconds. `cooldown`: an IP address may connect once
 * in this time; 0: no limit; loopback is exempt. AvalancheGo: network/throttling/inbound_conn_throttler.go, inbound_conn_upgrade_throttler.go.
 */
export function createConnectionLimits({ perSecond, cooldown }: { readonly perSecond: number; readonly cooldown: number }, start: number) {
  const bucket = createTokenBucket(perSecond, Math.floor(perSecond) + 1, start);
  /** Until when an address has to wait; all wait equally long, so the first ends first. */
  const recent = new Map<string, number>();
  const maxRecent = Math.ceil((perSecond * cooldown) / 1000);
  let allowed = 0;
  let rejected = 0;

  const isFirst = (ip: string, now: number): boolean => {
    if (cooldown <= 0 || isLoopbackHost(ip)) return true;
    for (const [other, until] of recent) {
      if (until > now) break;
      recent.delete(other);
    }
    if (recent.has(ip) || recent.size >= maxRecent) return false;
    recent.set(ip, now + cooldown);
    return true;
  };

  return {
    mayConnect: (ip: string, now: number): boolean => {
      const isAllowed = bucket.take(1, now) && isFirst(ip, now);
      if (isAllowed) allowed++;
      else rejected++;
      return isAllowed;
    },
    allowed: (): number => allowed,
    rejected: (): number => rejected,
  };
}

/** With which nodes this one wants connections: first peers and validators, unless they are blocked. */
type WantedNodes = ReturnType<typeof createWantedNodes>;

export function createWantedNodes(
  self: NodeId,
  firstPeers: ReadonlyMap<NodeId, unknown>,
  options: Pick<NetworkOptions, 'requireValidator'>,
  stakes: Pick<Stakes, 'of'>,
) {
  /** Nodes that this one is cut off from, to try a partition. */
  let blocked: ReadonlySet<NodeId> = new Set();
  const isWanted = (node: NodeId): boolean => node !== self && !blocked.has(node) && (firstPeers.has(node) || stakes.of(node) > 0n);
  return {
    /** Whether this node is cut off from the node; see `block` of network.ts. */
    isBlocked: (node: NodeId): boolean => blocked.has(node),
    isWanted,
    /** Whether this node, as it is now, has no connections with the other: `--network-require-validator-to-connect`. */
    isRefused: (node: NodeId): boolean => options.requireValidator && stakes.of(self) === 0n && !isWanted(node),
    /** Replaces the nodes of an earlier call. */
    block: (nodes: ReadonlySet<NodeId>): void => {
      blocked = nodes;
    },
  };
}

/** Inbound connections beyond this many are closed, unless the node is wanted. AvalancheGo's limit is `--fd-limit`. */
const maxInboundPeers = 2048;

/** How long a connection of this node to itself stays open. Milliseconds. */
const selfCloseDelay = 1000;

/**
 * Makes an encrypted connection a peer, or closes it. Returns a function that returns the node at its other end; undefined if that is unknown.
 * network.ts calls it for connections that arrive and for those that it dialled.
 */
export function createAdmission({
  self,
  timing,
  counters,
  alert,
  wanted,
  isOpen,
  isClosing,
  inboundCount,
  start,
}: {
  readonly self: NodeId;
  readonly timing: PeerTiming;
  readonly counters: NetworkCounters;
  readonly alert: OwnKeyAlert;
  readonly wanted: WantedNodes;
  /** Whether there is a connection to the node already. */
  readonly isOpen: (node: NodeId) => boolean;
  readonly isClosing: () => boolean;
  readonly inboundCount: () => number;
  /** Makes the connection a peer. */
  readonly start: (connection: Connection) => void;
}) {
  const reasonToRefuse = (node: NodeId, isInbound: boolean): CloseReason | undefined => {
    if (isClosing()) return 'shutting down';
    if (wanted.isBlocked(node)) return 'blocked';
    if (wanted.isRefused(node)) return 'not wanted';
    if (isOpen(node)) return 'duplicate';
    return isInbound && inboundCount() >= maxInboundPeers && !wanted.isWanted(node) ? 'too many peers' : undefined;
  };
  const close = (socket: PeerSocket, reason: CloseReason): void => {
    increment(counters.closed, reason);
    socket.close();
  };

  return (socket: PeerSocket, isInbound: boolean): NodeId | undefined => {
    const { certificate } = socket;
    if (certificate === undefined) return void close(socket, 'no certificate');
    if (!isStakingCertificate(certificate)) {
      counters.tlsRejected++;
      return void close(socket, 'bad certificate');
    }
    const node = nodeIdOfCertificate(certificate);
    if (node === self) {
      alert.connection(socket.channelId, endpointText(remoteText(socket.remote.ip), socket.remote.port));
      // The other end must finish its TLS handshake to be recognised.
      increment(counters.closed, 'self');
      timing.after(selfCloseDelay, socket.close);
      return node;
    }
    const reason = reasonToRefuse(node, isInbound);
    if (reason === undefined) start({ socket, node, certificate, isInbound });
    else close(socket, reason);
    return node;
  };
}

function isStakingCertificate(certificate: Uint8Array): boolean {
  try {
    certificatePublicKey(certificate);
    return true;
  } catch (error) {
    if (error instanceof CertificateError) return false;
    throw error;
  }
}
