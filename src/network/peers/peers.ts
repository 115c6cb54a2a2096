import type { KeyObject } from 'node:crypto';
import type { Id } from '../../base/bytes/id.ts';
import { type NodeId, nodeIdOfCertificate } from '../../base/bytes/node-id.ts';
import { type BlsSigner, isBlsSignature, verifyPossessionSignature } from '../identity/bls.ts';
import type { ChainHandler, Transport } from '../protocol/transport.ts';
import { createPeerNetwork, type NetworkDeps, type PeerNetwork } from './network.ts';
import { signAddress } from './own-address.ts';
import { createRouter, type Router } from './router.ts';
import type { Endpoint } from './socket.ts';

type PeersOptions = Omit<NetworkDeps, 'own' | 'bls' | 'events'> & {
  readonly identity: { readonly certificate: Uint8Array; readonly privateKey: KeyObject; readonly signer: BlsSigner };
  /** The address that this node claims, 4 or 16 bytes: `--public-ip`. */
  readonly publicIp: Uint8Array;
  /** Called before the chains: without sybil protection a connected peer is a validator. */
  readonly membership?: { readonly add: (node: NodeId) => void; readonly remove: (node: NodeId) => void };
};

/** The network layer of a node: its connections, and the messages of its chains. */
export type Peers = {
  readonly network: PeerNetwork;
  readonly router: Router;
  readonly transport: Transport;
  readonly addChain: (chainId: Id, handler: ChainHandler) => void;
  /** Listens and dials. Returns the address it listens at. */
  readonly start: () => Promise<Endpoint>;
  readonly close: () => Promise<void>;
};

export function createPeers(options: PeersOptions): Peers {
  const { identity, membership, timing, stakes } = options;
  const router = createRouter({
    self: nodeIdOfCertificate(identity.certificate),
    options: options.options,
    timing,
    stakes,
    send: (message, nodes) => network.send(message, nodes),
  });
  const network: PeerNetwork = createPeerNetwork({
    ...options,
    own: {
      certificate: identity.certificate,
      signAddress: (port) => signAddress({ ip: options.publicIp, port, timestamp: timing.unixSeconds() }, identity),
    },
    bls: { isSignature: isBlsSignature, verify: verifyPossessionSignature },
    events: {
      connected: (node) => {
        membership?.add(node);
        router.connected(node);
      },
      disconnected: (node) => {
        membership?.remove(node);
        router.disconnected(node);
      },
      receive: router.receive,
    },
  });
  return {
    network,
    router,
    transport: router.transport,
    addChain: router.addChain,
    start: network.listen,
    close: () => {
      router.close();
      return network.close();
    },
  };
}
