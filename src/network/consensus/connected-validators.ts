import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Validators } from '../protocol/validators.ts';
import { type RandomBytes, sampleNodes } from './weighted-sample.ts';

/**
 * The peers of a chain, and how much of the stake this node is connected to; this node counts as connected to itself. joined-chain.ts keeps it;
 * the poller, gossip and health checks read it.
 */
export type ConnectedValidators = ReturnType<typeof createConnectedValidators>;

export function createConnectedValidators(self: NodeId, validators: Pick<Validators, 'current'>, randomBytes: RandomBytes) {
  const peers = new Set<NodeId>();
  const isConnected = (node: NodeId): boolean => node === self || peers.has(node);
  /** Connected validators, this node not included. */
  const validatorPeers = (): NodeId[] => {
    const set = validators.current();
    return [...peers].filter((node) => set.has(node));
  };
  return {
    connected: (node: NodeId): void => {
      if (node !== self) peers.add(node);
    },
    disconnected: (node: NodeId): void => {
      peers.delete(node);
    },
    isConnected,
    /** Connected peers, this node not included. */
    peers: (): readonly NodeId[] => [...peers],
    validatorPeers,
    /** A connected validator, whatever its weight; it may be this node. AvalancheGo: snow/engine/common/tracker/peers.go, SampleValidator. */
    sample: (): NodeId | undefined =>
      sampleNodes(validators.current().has(self) ? [self, ...validatorPeers()] : validatorPeers(), 1, randomBytes)[0],
    /** Share of the stake that this node is connected to, from 0 to 1; 1 if there is no stake. */
    share: (): number => {
      let [connected, total] = [0n, 0n];
      for (const [node, weight] of validators.current()) {
        total += weight;
        if (isConnected(node)) connected += weight;
      }
      // As AvalancheGo, which divides floating-point numbers too: two of three are not less than 2 / 3.
      return total === 0n ? 1 : Number(connected) / Number(total);
    },
    /** Validators that are not connected, sorted. */
    missing: (): NodeId[] => [...validators.current().keys()].filter((node) => !isConnected(node)).sort(),
  };
}
