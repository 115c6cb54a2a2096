import type { EngineBlock, Vm } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Consensus } from '../snowman/consensus.ts';
import type { ConsensusBlock } from '../snowman/consensus-block.ts';
import { isDecided } from '../snowman/vote-target.ts';
import type { BlockRequests, BlockSource } from './block-requests.ts';
import { engineLimits } from './engine-parameters.ts';
import { createPendingBlocks } from './pending-blocks.ts';
import type { UnverifiedBlocks } from './unverified-blocks.ts';
import { createWaitingJobs, type WaitingJobs } from './waiting-jobs.ts';

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

type IssuerParts = {
  readonly vm: Pick<Vm, 'block' | 'prepare' | 'verify'>;
  readonly consensus: Pick<Consensus, 'isProcessing' | 'lastAccepted'>;
  readonly jobs: WaitingJobs;
  readonly requests: BlockRequests;
  readonly unverified: UnverifiedBlocks;
  /** Asks a peer for a block. Returns false if it is not asked, because of a limit. */
  readonly requestBlock: (node: NodeId, id: Id, source: BlockSource) => boolean;
  /** Runs work in the order of the engine's events. */
  readonly post: (work: () => void) => void;
  /** A block was verified: adds it to consensus. Called before the jobs that wait for it. */
  readonly onVerified: (block: EngineBlock, isBuilt: boolean, source: BlockSource, node: NodeId) => void;
  /** A block could not be verified, with the error. */
  readonly onInvalid: (block: EngineBlock, error: unknown) => void;
  /** A block of this node was refused by verification, or will not be verified. */
  readonly onBuiltDropped: (block: EngineBlock, wasVerified: boolean) => void;
};

export const consensusBlock = ({ id, parentID, height }: EngineBlock): ConsensusBlock => ({ id, parentId: parentID, height });

export function createBlockIssuer(parts: IssuerParts): BlockIssuer {
  const { vm, consensus, jobs, requests, unverified } = parts;
  const pending = createPendingBlocks(engineLimits);
  const preparing = new Set<Id>();
  const preparedJobs = createWaitingJobs();

  const blockOf = (id: Id): EngineBlock | undefined => pending.get(id) ?? unverified.get(id) ?? vm.block(id);
  const canIssueChildOn = (id: Id): boolean => id === consensus.lastAccepted().id || consensus.isProcessing(id);
  const shouldIssue = (block: EngineBlock): boolean =>
    !isDecided(consensusBlock(block), consensus.lastAccepted()) && !pending.has(block.id) && !consensus.isProcessing(block.id);

  const markUnverified = (block: EngineBlock): void => {
    if (consensus.isProcessing(block.id)) return;
    // Votes for it count for its ancestors, unless the parent is decided.
    if (unverified.get(block.parentID) !== undefined || consensus.isProcessing(block.parentID)) unverified.add(block);
  };
  const verifyError = (block: EngineBlock): unknown => {
    try {
      vm.verify(block);
      return undefined;
    } catch (error) {
      return error;
    }
  };

  /** Takes a prepared block out of the pending ones and verifies it. */
  const deliver = (node: NodeId, block: EngineBlock, isBuilt: boolean, source: BlockSource, failure: { error: unknown } | undefined) => {
    pending.remove(block.id);
    // Its parent may have been rejected while it was prepared.
    if (!canIssueChildOn(block.parentID) || consensus.isProcessing(block.id)) {
      if (isBuilt && !consensus.isProcessing(block.id)) parts.onBuiltDropped(block, false);
      return jobs.abandon(block.id);
    }
    const error = failure === undefined ? verifyError(block) : failure.error;
    if (error !== undefined) {
      parts.onInvalid(block, error);
      // What verification refuses is dropped there; a block that could not be prepared was not verified.
      if (isBuilt) parts.onBuiltDropped(block, failure === undefined);
      markUnverified(block);
      return jobs.abandon(block.id);
    }
    unverified.remove(block.id);
    parts.onVerified(block, isBuilt, source, node);
    jobs.fulfill(block.id);
  };
  const prepare = (node: NodeId, block: EngineBlock, isBuilt: boolean, source: BlockSource): void => {
    const end = (failure: { error: unknown } | undefined): void => {
      parts.post(() => {
        preparing.delete(block.id);
        deliver(node, block, isBuilt, source, failure);
      });
      parts.post(() => preparedJobs.fulfill(block.id));
    };
    preparing.add(block.id);
    vm.prepare(block).then(
      () => end(undefined),
      (error: unknown) => end({ error }),
    );
  };
  const dropPending = (block: EngineBlock): void => {
    pending.remove(block.id);
    markUnverified(block);
    jobs.abandon(block.id);
  };

  /** Issues one block as soon as its parent is issued. Returns false if it cannot be held. */
  const enqueue = (node: NodeId, block: EngineBlock, isBuilt: boolean, source: BlockSource): boolean => {
    requests.remove(block.id);
    const isTooHigh = block.height > consensus.lastAccepted().height + BigInt(engineLimits.pendingBlocks);
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
    if (requests.has(id) || parts.requestBlock(node, id, source)) return;
    jobs.abandon(id);
  };

  const issue = (node: NodeId, start: EngineBlock, source: BlockSource) => {
    let block = start;
    while (shouldIssue(block)) {
      if (!enqueue(node, block, false, source)) return;
      const parent = blockOf(block.parentID);
      if (parent === undefined) return request(node, block.parentID, source);
      // A parent of another height is a lie: the block can never be valid.
      if (parent.height + 1n !== block.height) return dropPending(block);
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
    afterPrepared: (run) => preparedJobs.schedule(run, [...preparing]),
    isPreparing: () => preparing.size > 0,
    pendingCount: pending.count,
  };
}
