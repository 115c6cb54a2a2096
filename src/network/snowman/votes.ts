import { bitOf, firstDifference, type Id, idBits } from '../../base/bytes/id.ts';
import type { BlockRef, Consensus, ConsensusBlock } from './consensus.ts';

/** Votes of one poll: how many units of stake voted for a block. */
export type Votes = ReadonlyMap<Id, number>;

export function countVotes(votes: Votes): number {
  let sum = 0;
  for (const count of votes.values()) sum += count;
  return sum;
}

export function addVotes(votes: Map<Id, number>, id: Id, count: number): void {
  if (count > 0) votes.set(id, (votes.get(id) ?? 0) + count);
}

export const filterVotes = (votes: Votes, test: (id: Id) => boolean): Votes => new Map([...votes].filter(([id]) => test(id)));

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

/**
 * The votes of every Snowflake instance that a poll touches: one per block, ancestors included as far as `parentOf` knows them, and one per
 * common prefix of siblings. AvalancheGo: snow/consensus/snowman/poll/graph.go and prefix.go.
 */
export function countInstanceVotes(votes: Votes, parentOf: (id: Id) => Id | undefined): number[] {
  const totals = new Map<Id, number>();
  const childrenOf = new Map<Id, Set<Id>>();
  for (const [id, count] of votes)
    for (let at: Id | undefined = id; at !== undefined; ) {
      addVotes(totals, at, count);
      const parent: Id | undefined = parentOf(at);
      if (parent !== undefined) addChild(childrenOf, parent, at);
      at = parent;
    }
  const counts = [...totals.values()];
  for (const children of childrenOf.values()) if (children.size > 1) pushPrefixVotes([...children], 0, totals, counts);
  return counts;
}

function addChild(childrenOf: Map<Id, Set<Id>>, parent: Id, child: Id): void {
  const children = childrenOf.get(parent);
  if (children === undefined) childrenOf.set(parent, new Set([child]));
  else children.add(child);
}

/** Adds the votes of each prefix that several siblings share and after which they differ. A prefix of no bits is not an instance. */
function pushPrefixVotes(siblings: readonly Id[], start: number, totals: Votes, counts: number[]): void {
  const [first, ...others] = siblings;
  if (first === undefined || others.length === 0) return;
  const at = Math.min(...others.map((id) => firstDifference(first, id, start, idBits) ?? idBits));
  if (at > 0) counts.push(siblings.reduce((sum, id) => sum + (totals.get(id) ?? 0), 0));
  for (const bit of [0, 1])
    pushPrefixVotes(
      siblings.filter((id) => bitOf(id, at) === bit),
      at + 1,
      totals,
      counts,
    );
}

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
