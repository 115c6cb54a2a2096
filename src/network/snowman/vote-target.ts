import type { Id } from '../../base/bytes/id.ts';
import type { Consensus } from './consensus.ts';
import type { BlockRef, ConsensusBlock } from './consensus-block.ts';

/** What became of an option: processing itself, an ancestor is, an unknown block was reached, or a decided one. */
export type VoteOutcome = 'unneeded' | 'succeeded' | 'failed' | 'dropped';

/**
 * Finds the block that a peer's answer votes for: the first option that is processing or has an ancestor that is. A vote for a block that
 * this node could not verify so counts for its ancestors. Undefined: the vote is dropped. `observe` hears of each option that was tried.
 * AvalancheGo: snow/engine/snowman/voter.go; engine.go, getProcessingAncestor.
 */
export function voteTarget(
  options: readonly Id[],
  consensus: Pick<Consensus, 'isProcessing' | 'lastAccepted'>,
  unverified: (id: Id) => ConsensusBlock | undefined,
  observe: (outcome: VoteOutcome) => void = () => {},
): Id | undefined {
  for (const option of options) {
    const target = processingAncestor(option, consensus, unverified, observe);
    if (target !== undefined) return target;
  }
  return undefined;
}

/** Walks from a block up to the nearest one that is processing, through blocks that were received but not verified. */
function processingAncestor(
  id: Id,
  { isProcessing, lastAccepted }: Pick<Consensus, 'isProcessing' | 'lastAccepted'>,
  unverified: (id: Id) => ConsensusBlock | undefined,
  observe: (outcome: VoteOutcome) => void,
): Id | undefined {
  let at = id;
  while (!isProcessing(at)) {
    const block = unverified(at);
    if (block === undefined || isDecided(block, lastAccepted())) {
      observe(block === undefined ? 'failed' : 'dropped');
      return undefined;
    }
    at = block.parentID;
  }
  observe(at === id ? 'unneeded' : 'succeeded');
  return at;
}

/** Whether a block that is not processing can no longer be accepted, by its height and parent. AvalancheGo: snow/engine/snowman/engine.go, isDecided. */
export const isDecided = ({ height, parentID }: ConsensusBlock, last: BlockRef): boolean =>
  height <= last.height || (height === last.height + 1n && parentID !== last.id);
