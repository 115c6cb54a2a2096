import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Validators } from '../protocol/validators.ts';
import type { BlockRef } from '../snowman/consensus-block.ts';

/** The last accepted block that each validator told of. It stands for its vote when it does not answer. AvalancheGo: snow/engine/common/tracker/accepted.go. */
export type AcceptedFrontiers = {
  readonly set: (node: NodeId, id: Id, height: bigint) => void;
  readonly get: (node: NodeId) => BlockRef | undefined;
  /** The greatest height that validators with more than half of the stake have reached, by what they told. */
  readonly majorityHeight: () => bigint;
};

export function createAcceptedFrontiers(validators: Pick<Validators, 'current'>): AcceptedFrontiers {
  const frontiers = new Map<NodeId, BlockRef>();
  /** Former validators are removed when there are more entries than validators, so peers cannot fill the map. */
  const trim = (): void => {
    const set = validators.current();
    if (frontiers.size > set.size) for (const node of frontiers.keys()) if (!set.has(node)) frontiers.delete(node);
  };
  return {
    set: (node, id, height) => {
      if (!validators.current().has(node)) return;
      const known = frontiers.get(node);
      if (known !== undefined && known.height > height) return;
      frontiers.set(node, { id, height });
      trim();
    },
    get: (node) => (validators.current().has(node) ? frontiers.get(node) : undefined),
    majorityHeight: () => {
      const set = validators.current();
      // Most validators are at one of a few heights.
      const weights = new Map<bigint, bigint>();
      let total = 0n;
      for (const [node, weight] of set) {
        total += weight;
        const height = frontiers.get(node)?.height;
        if (height !== undefined) weights.set(height, (weights.get(height) ?? 0n) + weight);
      }
      let sum = 0n;
      for (const [height, weight] of [...weights].sort(([a], [b]) => (a > b ? -1 : 1))) {
        sum += weight;
        if (2n * sum > total) return height;
      }
      return 0n;
    },
  };
}
