import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Validators } from '../protocol/validators.ts';
import { type RandomBytes, sampleNodes } from './weighted-sample.ts';

/** The peers of a chain, and how much of the stake this node is connected to. This node counts as connected to itself. */
export type ConnectedValidators = {
  readonly connected: (node: NodeId) => void;
  readonly disconnected: (node: NodeId) => void;
  readonly isConnected: (node: NodeId) => boolean;
  /** Connected peers, this node not included. */
  readonly peers: () => readonly NodeId[];
  /** Connected validators, this node not included. */
  readonly validatorPeers: () => NodeId[];
  /** A connected validator other than this node, whatever its weight. */
  readonly sample: () => NodeId | undefined;
  /** Share of the stake, from 0 to 1; 1 if there is no stake. */
  readonly share: () => number;
  /** Validators that are not connected, sorted. */
  readonly missing: () => NodeId[];
};

export function createConnectedValidators(
  self: NodeId,
  validators: Pick<Validators, 'current'>,
  randomBytes: RandomBytes,
): ConnectedValidators {
  const peers = new Set<NodeId>();
  const isConnected = (node: NodeId): boolean => node === self || peers.has(node);
  const validatorPeers = (): NodeId[] => {
    const set = validators.current();
    return [...peers].filter((node) => set.has(node));
  };
  return {
    connected: (node) => {
      if (node !== self) peers.add(node);
    },
    disconnected: (node) => {
      peers.delete(node);
    },
    isConnected,
    peers: () => [...peers],
    validatorPeers,
    sample: () => sampleNodes(validatorPeers(), 1, randomBytes)[0],
    share: () => {
      let [connected, total] = [0n, 0n];
      for (const [node, weight] of validators.current()) {
        total += weight;
        if (isConnected(node)) connected += weight;
      }
      // As AvalancheGo, which divides floating-point numbers too: two of three are not less than 2 / 3.
      return total === 0n ? 1 : Number(connected) / Number(total);
    },
    missing: () => [...validators.current().keys()].filter((node) => !isConnected(node)).sort(),
  };
}
