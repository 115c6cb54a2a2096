import type { Id } from '../../base/bytes/id.ts';
import type { ConsensusBlock } from './consensus-block.ts';
import { addVotes, countVotes, type Votes } from './votes.ts';

/** Votes for the children of a block, votes for their descendants included. */
export type ChildVotes = { readonly parentID: Id; readonly votes: Votes };

/**
 * Adds votes to all ancestors of the blocks they are for, and returns the blocks whose children got at least `threshold` together, from the
 * last accepted block downwards. They are on one branch, because the threshold is a majority. Votes for blocks that are not processing are
 * dropped. AvalancheGo: snow/consensus/snowman/topological.go, calculateInDegree and pushVotes.
 */
export function bubbleVotes(
  votes: Votes,
  processing: (id: Id) => ConsensusBlock | undefined,
  lastAccepted: Id,
  threshold: number,
): ChildVotes[] {
  const votesByParent = new Map<Id, Map<Id, number>>();
  const levels = new Map<bigint, Map<Id, ConsensusBlock>>();
  const ownVotes = new Map<Id, number>();
  let [lowest, highest] = [0n, -1n];
  for (const [id, count] of votes) {
    const voted = processing(id);
    if (voted === undefined) continue;
    addVotes(ownVotes, id, count);
    for (let block: ConsensusBlock | undefined = voted; block !== undefined; block = processing(block.parentID)) {
      const level = levels.get(block.height) ?? new Map<Id, ConsensusBlock>();
      if (level.has(block.id)) break;
      level.set(block.id, block);
      levels.set(block.height, level);
      if (block.parentID === lastAccepted) lowest = block.height;
    }
    if (voted.height > highest) highest = voted.height;
  }
  // Children are one above their parents, so each level is complete when it is passed on.
  for (let height = highest; height >= lowest; height--)
    for (const { id, parentID } of levels.get(height)?.values() ?? []) {
      const total = (ownVotes.get(id) ?? 0) + countVotes(votesByParent.get(id) ?? new Map());
      const siblings = votesByParent.get(parentID) ?? new Map<Id, number>();
      addVotes(siblings, id, total);
      votesByParent.set(parentID, siblings);
    }
  const branch: ChildVotes[] = [];
  for (const [parentID, childVotes] of votesByParent)
    if (countVotes(childVotes) >= threshold) branch.unshift({ parentID, votes: childVotes });
  return branch;
}
