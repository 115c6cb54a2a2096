import type { EngineBlock, Vm } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { wrongHeightError } from '../../chain/lifecycle/fault.ts';
import type { ConsensusBlock } from '../snowman/consensus-block.ts';
import { isDecided } from '../snowman/vote-target.ts';
import { createBlockDelivery, type DeliveryParts, mayHaveChild } from './block-delivery.ts';
import type { BlockRequests, BlockSource, RequestBlock } from './block-requests.ts';
import { engineLimits } from './engine-parameters.ts';
import { createPendingBlocks } from './pending-blocks.ts';
import { createQueueLimit } from './queue-limit.ts';

/**
 * Issues blocks to consensus once their ancestors are issued, and asks the peer that named a block for what is missing. A block is prepared
 * first, which may take long; meanwhile other events are processed. AvalancheGo: snow/engine/snowman/engine.go, issueFrom and deliver.
 */
export type BlockIssuer = {
  /** Issues a block by its ID with all its ancestors; asks the peer for it if it is unknown. */
  readonly issueById: (node: NodeId, id: Id, source: BlockSource) => void;
  readonly issue: (node: NodeId, block: EngineBlock, source: BlockSource) => void;
  /** Issues a block of this node. Returns false if that is not possible now. */
  readonly issueBuilt: (self: NodeId, block: EngineBlock) => boolean;
  /** Whether a block will certainly be fulfilled or abandoned, so that a vote may wait for it. */
  readonly canDependOn: (id: Id) => boolean;
  /** Runs work when all blocks that are being prepared now are issued or given up, and the votes that waited for them are counted. */
  readonly afterPrepared: (run: () => void) => void;
  readonly isPreparing: () => boolean;
  readonly pendingCount: () => number;
};

type IssuerParts = DeliveryParts & {
  readonly vm: Pick<Vm, 'block'>;
  readonly requests: BlockRequests;
  readonly requestBlock: RequestBlock;
  readonly hasStake: (node: NodeId) => boolean;
};

export const consensusBlock = ({ id, parentID, height }: EngineBlock): ConsensusBlock => ({ id, parentId: parentID, height });

export function createBlockIssuer(parts: IssuerParts): BlockIssuer {
  const { vm, consensus, jobs, requests, unverified, pauses } = parts;
  const pending = createPendingBlocks(createQueueLimit(engineLimits.pendingBlocks, parts.hasStake));
  const { prepare, markUnverified, afterPrepared, isPreparing } = createBlockDelivery(parts, pending);

  const blockOf = (id: Id): EngineBlock | undefined => pending.get(id) ?? unverified.get(id) ?? vm.block(id);
  const canIssueChildOn = (id: Id): boolean => mayHaveChild(consensus, id);
  const shouldIssue = (block: EngineBlock): boolean =>
    !isDecided(consensusBlock(block), consensus.lastAccepted()) &&
    !pending.has(block.id) &&
    !consensus.isProcessing(block.id) &&
    !pauses.isPaused(block.id);

  const dropPending = (block: EngineBlock): void => {
    pending.remove(block.id);
    markUnverified(block);
    jobs.abandon(block.id);
  };

  /** Issues one block as soon as its parent is issued. Returns false if it cannot be held. */
  const enqueue = (node: NodeId, block: EngineBlock, isBuilt: boolean, source: BlockSource): boolean => {
    requests.remove(block.id);
    const isTooHigh = block.height > consensus.lastAccepted().height + BigInt(engineLimits.pendingBlocks.all.count);
    if (isTooHigh || !pending.add(node, block)) {
      jobs.abandon(block.id);
      return false;
    }
    jobs.schedule(
      (isAbandoned) => (isAbandoned ? dropPending(block) : prepare(node, block, isBuilt, source)),
      canIssueChildOn(block.parentID) ? [] : [block.parentID],
    );
    return true;
  };
  const request = (node: NodeId, id: Id, source: BlockSource): void => {
    if (requests.has(id) || (!pauses.isPaused(id) && parts.requestBlock(node, id, source))) return;
    jobs.abandon(id);
  };

  const issue = (node: NodeId, start: EngineBlock, source: BlockSource) => {
    let block = start;
    while (shouldIssue(block)) {
      const parent = blockOf(block.parentID);
      // A parent of another height is a lie: the block can never be valid. It must not be prepared.
      if (parent !== undefined && parent.height + 1n !== block.height) {
        parts.onInvalid(block, wrongHeightError(parent.height + 1n, block.height));
        pauses.add(block.id);
        markUnverified(block);
        return giveUp(block.id);
      }
      if (!enqueue(node, block, false, source)) return;
      if (parent === undefined) return request(node, block.parentID, source);
      block = parent;
    }
    giveUp(block.id);
  };
  /** Ends what waits for a block that need not be issued. */
  const giveUp = (id: Id): void => {
    requests.remove(id);
    if (!pending.has(id)) jobs.abandon(id);
  };

  return {
    issue,
    issueById: (node, id, source) => {
      // Most votes name a block that is processing or was accepted last: it need not be read and decoded.
      if (canIssueChildOn(id)) return giveUp(id);
      const block = blockOf(id);
      if (block === undefined) request(node, id, source);
      else issue(node, block, source);
    },
    issueBuilt: (self, block) => canIssueChildOn(block.parentID) && shouldIssue(block) && enqueue(self, block, true, 'built'),
    canDependOn: (id) => pending.has(id) || requests.has(id),
    afterPrepared,
    isPreparing,
    pendingCount: pending.count,
  };
}
