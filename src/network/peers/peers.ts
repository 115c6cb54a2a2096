import { type NodeId, nodeIdOfCertificate } from '../../base/bytes/node-id.ts';
import { createPeerNetwork, type PeerNetwork, type PeerNetworkParts } from './network.ts';
import { createRouter } from './router.ts';

/** The network layer of a node: its connections (network.ts), and the messages of its chains (router.ts). app/joined opens one. */
export type Peers = ReturnType<typeof createPeers>;

export function createPeers(
  parts: PeerNetworkParts & {
    /** Called before the chains: without sybil protection a connected peer is a validator. */
    readonly membership?: { readonly add: (node: NodeId) => void; readonly remove: (node: NodeId) => void };
  },
) {
  const { membership } = parts;
  const self = nodeIdOfCertificate(parts.identity.certificate);
  const router = createRouter(self, parts, (message, nodes) => network.send(message, nodes));
  const network: PeerNetwork = createPeerNetwork(parts, {
    connected: (node) => {
      membership?.add(node);
      router.connected(node);
    },
    disconnected: (node) => {
      membership?.remove(node);
      router.disconnected(node);
    },
    receive: router.receive,
  });
  return {
    network,
    router,
    transport: router.transport,
    addChain: router.addChain,
    /** Listens and dials. Returns the address it listens at. */
    start: network.listen,
    close: (): Promise<void> => {
      router.close();
      return network.close();
    },
  };
}
