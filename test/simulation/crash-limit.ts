import type { NodeId } from '../../src/base/bytes/node-id.ts';

/**
 * Which nodes may crash now. A node keeps no votes on disk, as with AvalancheGo: after a restart it may vote for a sibling of a block that it
 * preferred before. For the heights of such blocks it is as unreliable as a byzantine node, until it has accepted them. Snowman's promise ends where
 * more of the stake is unreliable at once than a poll can miss. To keep votes would need a sync of the disk before every answer. So any node may
 * crash, any number of times, but at most a quarter of all may have forgotten votes for undecided heights at the same time.
 */
export type CrashLimit = {
  /** A node has verified a block: from now on it may vote for it. */
  readonly verified: (node: NodeId, height: bigint) => void;
  readonly accepted: (node: NodeId, height: bigint) => void;
  /** Whether this node may crash now; if so, its votes count as forgotten. */
  readonly mayCrash: (node: NodeId) => boolean;
};

export function createCrashLimit(nodes: number): CrashLimit {
  const limit = Math.max(1, Math.floor(nodes / 4));
  const verifiedHeights = new Map<NodeId, bigint>();
  const acceptedHeights = new Map<NodeId, bigint>();
  /** The highest height at which a crashed node may have voted. */
  const forgotten = new Map<NodeId, bigint>();
  const acceptedBy = (node: NodeId): bigint => acceptedHeights.get(node) ?? 0n;

  return {
    verified: (node, height) => {
      if (height > (verifiedHeights.get(node) ?? 0n)) verifiedHeights.set(node, height);
    },
    accepted: (node, height) => {
      acceptedHeights.set(node, height);
    },
    mayCrash: (node) => {
      for (const [other, height] of forgotten) if (acceptedBy(other) >= height) forgotten.delete(other);
      const voted = verifiedHeights.get(node) ?? 0n;
      if (voted <= acceptedBy(node)) return true;
      if (!forgotten.has(node) && forgotten.size >= limit) return false;
      forgotten.set(node, voted);
      return true;
    },
  };
}
