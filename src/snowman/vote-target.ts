import type { Id } from '../bytes/id.ts';
import type { Consensus } from './consensus.ts';
import type { BlockRef, ConsensusBlock } from './consensus-block.ts';

/**
 * Finds the block that a peer's answer votes for: the first option that is processing or has an ancestor that is. A vote for a block that
 * this node could not verify so counts for its ancestors. Undefined: the vote is dropped. AvalancheGo: snow/engine/snowman/voter.go.
 */
export function voteTarget(
  options: readonly Id[],
  consensus: Pick<Consensus, 'isProcessing' | 'lastAccepted'>,
  unverified: (id: Id) => ConsensusBlock | undefined,
): Id | undefined {
  for (const option of options) {
    const target = processingAncestor(option, consensus, unverified);
    if (target !== undefined) return target;
  }
  return undefined;
}

/** Walks from a block up to the nearest one that is processing, through blocks that were received but not verified. */
function processingAncestor(
  id: Id,
  { isProcessing, lastAccepted }: Pick<Consensus, 'isProcessing' | 'lastAccepted'>,
  unverified: (id: Id) => ConsensusBlock | undefined,
): Id | undefined {
  let at = id;
  while (!isProcessing(at)) {
    const block = unverified(at);
    if (block === undefined || isDecided(block, lastAccepted())) return undefined;
    at = block.parentId;
  }
  return at;
}

/** Whether a block that is not processing can no longer be accepted, by its height and parent. AvalancheGo: snow/engine/snowman/engine.go, isDecided. */
export const isDecided = ({ height, parentId }: ConsensusBlock, last: BlockRef): boolean =>
  height <= last.height || (height === last.height + 1n && parentId !== last.id);
