import { type NodeId, nodeIdOfCertificate } from '../../base/bytes/node-id.ts';
import { CertificateError, certificatePublicKey } from '../identity/parse-certificate.ts';
import { type CloseReason, type ConnectionCounters, increment } from './counters.ts';
import { endpointText, remoteText } from './ip-address.ts';
import type { OwnKeyAlert } from './own-key-alert.ts';
import type { PeerSocket } from './socket.ts';
import type { PeerTiming } from './timing.ts';

/** Inbound connections beyond this many are closed, unless the node is wanted. AvalancheGo's limit is `--fd-limit`. */
const maxInboundPeers = 2048;

/** How long a connection of this node to itself stays open. Milliseconds. */
const selfCloseDelay = 1000;

type AdmissionDeps = {
  readonly self: NodeId;
  readonly timing: PeerTiming;
  readonly counters: ConnectionCounters;
  readonly alert: OwnKeyAlert;
  readonly isWanted: (node: NodeId) => boolean;
  /** Whether only wanted nodes are admitted. */
  readonly requiresWanted: () => boolean;
  /** Whether this node is cut off from the node; see `block` of network.ts. */
  readonly isBlocked: (node: NodeId) => boolean;
  /** Whether there is a connection to the node already. */
  readonly isOpen: (node: NodeId) => boolean;
  readonly isClosing: () => boolean;
  readonly inboundCount: () => number;
  /** Makes the connection a peer. */
  readonly start: (socket: PeerSocket, node: NodeId, certificate: Uint8Array, isInbound: boolean) => void;
};

/** Makes a connection a peer, or closes it. Returns the node at its other end; undefined if it is unknown. */
export type Admit = (socket: PeerSocket, isInbound: boolean) => NodeId | undefined;

export function createAdmission(deps: AdmissionDeps): Admit {
  const { self, timing, counters, isWanted } = deps;

  const reasonToRefuse = (node: NodeId, isInbound: boolean): CloseReason | undefined => {
    if (deps.isClosing()) return 'shutting down';
    if (deps.isBlocked(node)) return 'blocked';
    if (deps.requiresWanted() && !isWanted(node)) return 'not wanted';
    if (deps.isOpen(node)) return 'duplicate';
    return isInbound && deps.inboundCount() >= maxInboundPeers && !isWanted(node) ? 'too many peers' : undefined;
  };
  const close = (socket: PeerSocket, reason: CloseReason): void => {
    increment(counters.closed, reason);
    socket.close();
  };

  return (socket, isInbound) => {
    const { certificate } = socket;
    if (certificate === undefined) return void close(socket, 'no certificate');
    if (!isStakingCertificate(certificate)) {
      counters.tlsRejected++;
      return void close(socket, 'bad certificate');
    }
    const node = nodeIdOfCertificate(certificate);
    if (node === self) {
      deps.alert.connection(socket.channelId, endpointText(remoteText(socket.remote.ip), socket.remote.port));
      // The other end must finish its TLS handshake to be recognised.
      increment(counters.closed, 'self');
      timing.after(selfCloseDelay, socket.close);
      return node;
    }
    const reason = reasonToRefuse(node, isInbound);
    if (reason === undefined) deps.start(socket, node, certificate, isInbound);
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
