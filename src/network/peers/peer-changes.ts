import { type NodeId, nodeIdText } from '../../base/bytes/node-id.ts';
import type { ChainMessage, HoldBytes } from '../protocol/transport.ts';
import type { createAddressBook } from './address-book.ts';
import type { createConnections } from './connections.ts';
import type { createDialer } from './dialer.ts';
import { endpointText, remoteText } from './ip-address.ts';
import type { Peer, PeerEvents, PeerLog } from './peer-context.ts';
import type { Endpoint } from './socket.ts';

export type Beacon = { readonly node: NodeId; readonly endpoint: Endpoint };

export type NetworkEvents = {
  readonly connected: (node: NodeId) => void;
  readonly disconnected: (node: NodeId) => void;
  /** Returns whether the time it took counts for the peer. */
  readonly receive: (node: NodeId, message: ChainMessage, hold?: HoldBytes) => boolean;
};

type PeerChangeDeps = {
  readonly connections: Pick<ReturnType<typeof createConnections>, 'markConnected' | 'remove'>;
  readonly dialer: Pick<ReturnType<typeof createDialer>, 'track' | 'retry' | 'stop'>;
  readonly addresses: Pick<ReturnType<typeof createAddressBook>, 'addConnected' | 'endpointOf'>;
  readonly beacons: readonly Beacon[];
  readonly events: Pick<NetworkEvents, 'connected' | 'disconnected'>;
  readonly isWanted: (node: NodeId) => boolean;
  readonly isClosing: () => boolean;
  readonly log: PeerLog;
};

/** What happens when a peer has finished its handshake, and when its connection is closed. */
export function createPeerChanges(deps: PeerChangeDeps): Pick<PeerEvents, 'connected' | 'closed'> {
  const { connections, dialer, addresses, events, isWanted, isClosing } = deps;
  return {
    connected: (peer: Peer): void => {
      connections.markConnected(peer);
      dialer.stop(peer.node);
      events.connected(peer.node);
      addresses.addConnected(peer);
      deps.log(`connected to ${nodeIdText(peer.node)} at ${endpointText(remoteText(peer.remote.ip), peer.remote.port)}`, 'debug');
    },
    closed: (peer: Peer): void => {
      const { node } = peer;
      const was = connections.remove(peer);
      if (was === 'connecting') {
        if (isWanted(node) && !isClosing()) dialer.retry(node);
        else dialer.stop(node);
      }
      if (was !== 'connected') return;
      events.disconnected(node);
      if (isClosing() || !isWanted(node)) return;
      const address = addresses.endpointOf(node) ?? deps.beacons.find((beacon) => beacon.node === node)?.endpoint;
      if (address !== undefined) dialer.track(node, address);
    },
  };
}
