import type { Id } from '../../base/bytes/id.ts';
import { type ChoiceTree, createChoiceTree } from './choice-tree.ts';
import { SnowmanError, type SnowParameters, verifyParameters } from './parameters.ts';
import { bubbleVotes, type ChildVotes, countVotes, type Votes } from './votes.ts';

/** A block by its ID and height. */
export type BlockRef = { readonly id: Id; readonly height: bigint };

/** A block as consensus sees it. Its height is one above that of its parent. */
export type ConsensusBlock = BlockRef & { readonly parentID: Id };

/**
 * Snowman: decides between the blocks that are processing by the votes of polls. It has no clock, no randomness and no network: the caller
 * adds verified blocks and the results of polls, and executes the decisions in their order. AvalancheGo: snow/consensus/snowman/topological.go.
 */
export type Consensus = ReturnType<typeof createConsensus>;

export type Decision = { readonly kind: 'accepted' | 'rejected'; readonly block: ConsensusBlock };

/** A block in the tree: the last accepted one or a processing one. `block` is undefined for the block that consensus started with. */
type TreeBlock = {
  readonly block: ConsensusBlock | undefined;
  readonly children: Map<Id, ConsensusBlock>;
  /** The choice between the children, from the first child on. */
  choice: ChoiceTree | undefined;
  /** Whether confidence below must be reset before the next vote that comes through. */
  resetNext: boolean;
};

export function createConsensus(parameters: SnowParameters, start: BlockRef) {
  verifyParameters(parameters);
  let last = start;
  const blocks = new Map<Id, TreeBlock>([[start.id, newTreeBlock(undefined)]]);
  const branch = createPreferredBranch(start.id, blocks);

  const isProcessing = (id: Id): boolean => id !== last.id && blocks.has(id);

  /** Adds a verified block; its parent must be processing or the last accepted block. */
  const add = (block: ConsensusBlock): void => {
    if (isProcessing(block.id)) throw duplicate(block);
    const parent = blocks.get(block.parentID);
    if (parent === undefined) throw unknownParent(block);
    if (parent.choice === undefined) parent.choice = createChoiceTree(parameters, block.id);
    else parent.choice.add(block.id);
    parent.children.set(block.id, block);
    blocks.set(block.id, newTreeBlock(block));
    if (branch.tip() === block.parentID) branch.extend(block);
  };

  /** Accepts the preferred child of the last accepted block and rejects its siblings with all their descendants. */
  const acceptPreferredChild = (parent: TreeBlock, choice: ChoiceTree): Decision[] => {
    const accepted = parent.children.get(choice.preference()) as ConsensusBlock;
    const rejected = [...parent.children.values()].filter(({ id }) => id !== accepted.id);
    blocks.delete(last.id);
    last = accepted;
    branch.remove(accepted);
    // The list grows while it is walked: children follow their rejected parents.
    for (const { id } of rejected) {
      rejected.push(...(blocks.get(id) as TreeBlock).children.values());
      blocks.delete(id);
    }
    return [{ kind: 'accepted', block: accepted }, ...rejected.map((block): Decision => ({ kind: 'rejected', block }))];
  };

  /** Marks the children of a voted block, except the one that is voted on next, for a reset. */
  const markChildren = (parent: TreeBlock, except: Id | undefined): void => {
    for (const id of parent.children.keys()) {
      const child = id === except ? undefined : blocks.get(id);
      if (child !== undefined) child.resetNext = true;
    }
  };

  /** Applies votes from the last accepted block downwards. Returns the block after the last preferred one that was voted on. */
  const applyVotes = (voted: readonly ChildVotes[], decisions: Decision[]): Id => {
    let preferred = last.id;
    let isOnPreferredBranch = true;
    for (const [index, { parentID, votes }] of voted.entries()) {
      const parent = blocks.get(parentID);
      // It was rejected by a decision of this poll.
      if (parent?.choice === undefined) break;
      const { choice, resetNext } = parent;
      if (resetNext) choice.resetBeforeNextPoll();
      parent.resetNext = false;
      choice.recordPoll(votes);
      if (choice.isFinal() && last.id === parentID) decisions.push(...acceptPreferredChild(parent, choice));
      if (isOnPreferredBranch) preferred = choice.preference();
      const next = voted[index + 1]?.parentID;
      isOnPreferredBranch &&= next === choice.preference();
      // A reset passes on to all children, also to the one that is voted on next.
      markChildren(parent, resetNext ? undefined : next);
    }
    return preferred;
  };

  return {
    add,
    isProcessing,
    /** Applies the votes of a finished poll. Votes for blocks that are not processing are dropped. */
    recordPoll: (votes: Votes): Decision[] => {
      const decisions: Decision[] = [];
      const voted = countVotes(votes) < parameters.alphaPreference ? [] : bubbleVotes(votes, blockOf, last.id, parameters.alphaPreference);
      if (voted.length === 0) {
        // No block got a majority: the confidence of the whole tree is reset, its preference stays.
        (blocks.get(last.id) as TreeBlock).resetNext = true;
        return decisions;
      }
      const preferred = applyVotes(voted, decisions);
      if (!branch.has(preferred)) branch.replace(preferred, last.id);
      return decisions;
    },
    lastAccepted: (): BlockRef => last,
    /** The tip of the preferred branch; the last accepted block if none is processing. */
    preference: branch.tip,
    /** The block of the preferred branch at a height; undefined below the last accepted one and above the tip. */
    preferenceAtHeight: (height: bigint): Id | undefined => (height === last.height ? last.id : branch.at(height)),
    /** Whether a block is the last accepted one or on the preferred branch. */
    isPreferred: (id: Id): boolean => id === last.id || branch.has(id),
    processingCount: (): number => blocks.size - 1,
    /** The fewest polls that can decide the tip of the preferred branch. */
    missingPolls: (): number => {
      const parent = blocks.get(branch.tip())?.block?.parentID;
      return (parent === undefined ? undefined : blocks.get(parent)?.choice?.missingPolls()) ?? 0;
    },
    /** The parent of a block that is processing or last accepted; undefined for the block that consensus started with. */
    parentOf: (id: Id): Id | undefined => blocks.get(id)?.block?.parentID,
  };

  function blockOf(id: Id): ConsensusBlock | undefined {
    return isProcessing(id) ? blocks.get(id)?.block : undefined;
  }
}

/** The preferred blocks above the last accepted one, up to the tip, which is the last accepted one if there are none. */
function createPreferredBranch(start: Id, blocks: ReadonlyMap<Id, TreeBlock>) {
  const heights = new Map<bigint, Id>();
  const ids = new Set<Id>();
  let tip = start;
  const add = ({ id, height }: BlockRef): void => {
    ids.add(id);
    heights.set(height, id);
  };
  const extend = (block: BlockRef): void => {
    tip = block.id;
    add(block);
  };
  return {
    tip: (): Id => tip,
    has: (id: Id): boolean => ids.has(id),
    at: (height: bigint): Id | undefined => heights.get(height),
    /** Adds a child of the tip. */
    extend,
    remove: ({ id, height }: BlockRef): void => {
      ids.delete(id);
      heights.delete(height);
    },
    /** Sets the branch to the one through a block: up to the last accepted block, and down by the preference of each choice. */
    replace: (through: Id, lastAccepted: Id): void => {
      ids.clear();
      heights.clear();
      for (let id = through; id !== lastAccepted; ) {
        const { block } = blocks.get(id) as { block: ConsensusBlock };
        add(block);
        id = block.parentID;
      }
      tip = through;
      for (let tree = blocks.get(through); tree?.choice !== undefined; tree = blocks.get(tip))
        extend(tree.children.get(tree.choice.preference()) as ConsensusBlock);
    },
  };
}

const newTreeBlock = (block: ConsensusBlock | undefined): TreeBlock => ({
  block,
  children: new Map(),
  choice: undefined,
  resetNext: false,
});

const duplicate = ({ id }: ConsensusBlock) =>
  new SnowmanError(`block ${id} is already processing`, { code: 'SNOWMAN_DUPLICATE_BLOCK', id });
const unknownParent = ({ id, parentID }: ConsensusBlock) =>
  new SnowmanError(`parent ${parentID} of block ${id} is not processing`, { code: 'SNOWMAN_UNKNOWN_PARENT', id, parentID });
