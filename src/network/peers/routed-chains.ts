import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { ChainHandler } from '../protocol/transport.ts';
import { createBenches } from './benches.ts';
import type { NetworkOptions } from './network-flags.ts';
import type { RegisteredStakes } from './stake.ts';

/** The chains that get messages, and the peers that they know of: those that are connected and not benched. */
export function createRoutedChains(options: NetworkOptions, stakes: RegisteredStakes) {
  const handlers = new Map<Id, ChainHandler>();
  const connected = new Set<NodeId>();
  const tellAll = (node: NodeId, isThere: boolean): void => {
    for (const handler of handlers.values()) (isThere ? handler.connected : handler.disconnected)(node);
  };
  const benches = createBenches(options, stakes, (node, isBenched) => {
    if (connected.has(node)) tellAll(node, !isBenched);
  });
  return {
    benches,
    get: (chainId: Id): ChainHandler | undefined => handlers.get(chainId),
    /** Begins to pass messages to a chain, and tells it which peers are connected. */
    add: (chainId: Id, handler: ChainHandler): void => {
      handlers.set(chainId, handler);
      benches.addChain(chainId);
      for (const node of connected) if (!benches.isBenched(node)) handler.connected(node);
    },
    connected: (node: NodeId): void => {
      connected.add(node);
      if (!benches.isBenched(node)) tellAll(node, true);
    },
    disconnected: (node: NodeId): void => {
      connected.delete(node);
      if (!benches.isBenched(node)) tellAll(node, false);
    },
  };
}
