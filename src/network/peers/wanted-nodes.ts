import type { NodeId } from '../../base/bytes/node-id.ts';
import type { NetworkOptions } from './network-flags.ts';
import type { RegisteredStakes } from './stake.ts';

/** With which nodes this one wants connections: first peers and validators, unless they are blocked. */
export function createWantedNodes(
  self: NodeId,
  beacons: ReadonlySet<NodeId>,
  options: Pick<NetworkOptions, 'requireValidator'>,
  stakes: Pick<RegisteredStakes, 'of'>,
) {
  /** Nodes that this one is cut off from, to try a partition. */
  let blocked: ReadonlySet<NodeId> = new Set();
  return {
    isBlocked: (node: NodeId): boolean => blocked.has(node),
    isWanted: (node: NodeId): boolean => node !== self && !blocked.has(node) && (beacons.has(node) || stakes.of(node) > 0n),
    /** Whether this node has no connections with nodes that are not wanted. */
    requiresWanted: (): boolean => options.requireValidator && stakes.of(self) === 0n,
    /** Replaces the nodes of an earlier call. */
    block: (nodes: ReadonlySet<NodeId>): void => {
      blocked = nodes;
    },
  };
}
