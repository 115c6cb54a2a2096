import type { EngineBlock, Vm } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Consensus } from '../snowman/consensus.ts';
import type { BlockSource } from './block-requests.ts';
import type { PendingBlocks } from './pending-blocks.ts';
import type { RefusedPauses } from './refused-pauses.ts';
import type { UnverifiedBlocks } from './unverified-blocks.ts';
import { createWaitingJobs, type WaitingJobs } from './waiting-jobs.ts';

export type DeliveryParts = {
  readonly vm: Pick<Vm, 'prepare' | 'verify'>;
  readonly consensus: Pick<Consensus, 'isProcessing' | 'lastAccepted'>;
  readonly jobs: WaitingJobs;
  readonly unverified: UnverifiedBlocks;
  readonly pauses: RefusedPauses;
  /** Runs work in the order of the engine's events. */
  readonly post: (work: () => void) => void;
  /** A block was verified: adds it to consensus. Called before the jobs that wait for it. */
  readonly onVerified: (block: EngineBlock, isBuilt: boolean, source: BlockSource, node: NodeId) => void;
  /** A block could not be verified, with the error. */
  readonly onInvalid: (block: EngineBlock, error: unknown) => void;
  /** A block of this node was refused by verification, or will not be verified. */
  readonly onBuiltDropped: (block: EngineBlock, wasVerified: boolean) => void;
};

/** Whether a child of the block may be issued: its parent is processing, or was accepted last. */
export const mayHaveChild = (consensus: DeliveryParts['consensus'], id: Id): boolean =>
  id === consensus.lastAccepted().id || consensus.isProcessing(id);

/** Prepares pending blocks, then verifies them and delivers them to consensus. AvalancheGo: snow/engine/snowman/engine.go, deliver. */
export function createBlockDelivery(parts: DeliveryParts, pending: Pick<PendingBlocks, 'remove'>) {
  const { vm, consensus, jobs, unverified, pauses, post } = parts;
  const preparing = new Set<Id>();
  const preparedJobs = createWaitingJobs();

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
    if (!mayHaveChild(consensus, block.parentID) || consensus.isProcessing(block.id)) {
      if (isBuilt && !consensus.isProcessing(block.id)) parts.onBuiltDropped(block, false);
      return jobs.abandon(block.id);
    }
    const error = failure === undefined ? verifyError(block) : failure.error;
    if (error !== undefined) {
      parts.onInvalid(block, error);
      pauses.add(block.id);
      // What verification refuses is dropped there; a block that could not be prepared was not verified.
      if (isBuilt) parts.onBuiltDropped(block, failure === undefined);
      markUnverified(block);
      return jobs.abandon(block.id);
    }
    unverified.remove(block.id);
    pauses.remove(block.id);
    parts.onVerified(block, isBuilt, source, node);
    jobs.fulfill(block.id);
  };
  const prepare = (node: NodeId, block: EngineBlock, isBuilt: boolean, source: BlockSource): void => {
    const end = (failure: { error: unknown } | undefined): void => {
      post(() => {
        preparing.delete(block.id);
        deliver(node, block, isBuilt, source, failure);
      });
      post(() => preparedJobs.fulfill(block.id));
    };
    preparing.add(block.id);
    vm.prepare(block).then(
      () => end(undefined),
      (error: unknown) => end({ error }),
    );
  };

  return {
    prepare,
    /** Keeps a block that was not verified, if votes for it may count for its ancestors. */
    markUnverified,
    /** Runs work when all blocks that are being prepared now are issued or given up, and the votes that waited for them are counted. */
    afterPrepared: (run: () => void): void => preparedJobs.schedule(run, [...preparing]),
    isPreparing: (): boolean => preparing.size > 0,
  };
}
