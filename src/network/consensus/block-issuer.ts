import type { EngineBlock, Vm } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { wrongHeightError } from '../../chain/lifecycle/fault.ts';
import { engineTypes } from '../messages/message-table.ts';
import type { ChainLink } from '../protocol/transport.ts';
import type { Consensus } from '../snowman/consensus.ts';
import { isDecided } from '../snowman/votes.ts';
import type { ConnectedValidators } from './connected-validators.ts';
import { engineLimits } from './engine-parameters.ts';
import type { BlockSource, UnissuedBlocks } from './unissued-blocks.ts';
import { sampleNodes } from './weighted-sample.ts';

/** A block on its way to consensus: the node that sent or built it, and how it came. */
export type Candidate = {
  readonly node: NodeId;
  readonly block: EngineBlock;
  readonly source: BlockSource;
  /** Called once, for a block that this node has built. `dropped`: it will not be verified; `refused`: verification has refused it. */
  readonly onEnd?: (end: 'issued' | 'dropped' | 'refused') => void;
};

type IssuerParts = {
  readonly nextRequestId: () => number;
  readonly vm: Pick<Vm, 'block' | 'preverify' | 'verify'>;
  readonly consensus: Pick<Consensus, 'isProcessing' | 'lastAccepted'>;
  readonly blocks: UnissuedBlocks;
  readonly connected: Pick<ConnectedValidators, 'validatorPeers'>;
  /** Work that waits for a block to be issued or given up. */
  readonly jobs: WaitingJobs;
  /** Runs work in the order of the engine's events. */
  readonly post: (work: () => void) => void;
  /** A block was verified: adds it to consensus. Called before the jobs that wait for it. */
  readonly onVerified: (candidate: Candidate) => void;
  /** A block could not be verified, with the error. */
  readonly onInvalid: (block: EngineBlock, error: unknown) => void;
};

/** A gap of more missing blocks is asked for with its ancestors, so that one answer brings many. AvalancheGo's engine asks for one after the other. */
const longGap = 2n;
/** A gap of which any block is asked for with its ancestors. */
const withAncestors = longGap + 1n;

/**
 * Brings blocks into consensus. A block waits until its parent is there; an unknown ancestor is asked for from the peer that named the block. Then
 * the block is preverified, which may take long and lets other events pass, verified, and added. AvalancheGo: snow/engine/snowman/engine.go,
 * issueFrom and deliver.
 */
export type BlockIssuer = ReturnType<typeof createBlockIssuer>;

export function createBlockIssuer({ chainId, transport, randomBytes }: ChainLink, parts: IssuerParts) {
  const { vm, consensus, jobs } = parts;
  const { requested, pending, unverified, refused } = parts.blocks;
  const delivery = createDelivery(parts);

  const blockOf = (id: Id): EngineBlock | undefined => pending.get(id) ?? unverified.get(id) ?? vm.block(id);
  const canIssueChildOn = (id: Id): boolean => mayHaveChild(consensus, id);
  const shouldIssue = (block: EngineBlock): boolean =>
    !isDecided(block, consensus.lastAccepted()) &&
    !pending.has(block.id) &&
    !consensus.isProcessing(block.id) &&
    !refused.isPaused(block.id);

  const dropPending = (block: EngineBlock): void => {
    pending.remove(block.id);
    delivery.markUnverified(block);
    jobs.abandon(block.id);
  };
  /** Delivers one block as soon as its parent is issued. Returns false if it cannot be held. */
  const enqueue = (candidate: Candidate): boolean => {
    const { node, block } = candidate;
    requested.remove(block.id);
    const isTooHigh = block.height > consensus.lastAccepted().height + BigInt(engineLimits.pendingBlocks.all.count);
    if (isTooHigh || !pending.add(node, block)) {
      jobs.abandon(block.id);
      return false;
    }
    jobs.schedule(
      (isAbandoned) => (isAbandoned ? dropPending(block) : delivery.start(candidate)),
      canIssueChildOn(block.parentID) ? [] : [block.parentID],
    );
    return true;
  };

  /** Asks a peer for a block, and for its ancestors if that many are missing too. Returns false if it cannot be asked now. */
  const get = (node: NodeId, blockId: Id, source: BlockSource, missing: bigint): boolean => {
    // This node has what it knows: asking itself brings nothing.
    if (node === transport.self) return false;
    const requestId = parts.nextRequestId();
    if (!requested.add({ node, requestId, blockId, source })) return false;
    const fields = { chainId, requestId, deadline: 0n, containerId: blockId };
    transport.request(missing > longGap ? { kind: 'getAncestors', engineType: engineTypes.chain, ...fields } : { kind: 'get', ...fields }, [
      node,
    ]);
    return true;
  };
  /** `missing`: how many blocks are missing up to this one, as far as that is known. */
  const request = (node: NodeId, id: Id, source: BlockSource, missing = 1n): void => {
    if (requested.has(id) || (!refused.isPaused(id) && get(node, id, source, missing))) return;
    jobs.abandon(id);
  };
  /** Ends what waits for a block that need not be issued. */
  const giveUp = (id: Id): void => {
    requested.remove(id);
    if (!pending.has(id)) jobs.abandon(id);
  };

  /** Issues a block with all its ancestors. `ancestors`: some of them, which came with it. */
  const issue = (node: NodeId, start: EngineBlock, source: BlockSource, ancestors?: ReadonlyMap<Id, EngineBlock>) => {
    let block = start;
    while (shouldIssue(block)) {
      const parent = blockOf(block.parentID) ?? ancestors?.get(block.parentID);
      // A parent of another height is a lie: the block can never be valid. It must not be preverified.
      if (parent !== undefined && parent.height + 1n !== block.height) {
        parts.onInvalid(block, wrongHeightError(parent.height + 1n, block.height));
        refused.add(block.id);
        delivery.markUnverified(block);
        return giveUp(block.id);
      }
      if (!enqueue({ node, block, source })) return;
      if (parent === undefined) return request(node, block.parentID, source, block.height - 1n - consensus.lastAccepted().height);
      block = parent;
    }
    giveUp(block.id);
  };

  return {
    issue,
    /** Issues a block by its ID with all its ancestors; asks the peer for it if it is unknown. */
    issueById: (node: NodeId, id: Id, source: BlockSource) => {
      // Most votes name a block that is processing or was accepted last: it need not be read and decoded.
      if (canIssueChildOn(id)) return giveUp(id);
      const block = blockOf(id);
      if (block === undefined) request(node, id, source);
      else issue(node, block, source);
    },
    /** Issues a block of this node. Returns false if that is not possible now; then `onEnd` is not called. */
    issueBuilt: (block: EngineBlock, onEnd: NonNullable<Candidate['onEnd']>): boolean =>
      canIssueChildOn(block.parentID) && shouldIssue(block) && enqueue({ node: transport.self, block, source: 'built', onEnd }),
    /** A peer did not send the block that it was asked for. */
    requestFailed: (node: NodeId, requestId: number): void => {
      const failed = requested.find(node, requestId);
      if (failed === undefined) return;
      if (!requested.fail(failed)) jobs.abandon(failed.blockId);
    },
    /**
     * Asks another validator for each block that a validator has named and not sent for a while. With GetAncestors: one that lacks the block says
     * so, while a Get would time out and count against it.
     */
    askOthers: (): void => {
      const overdue = requested.overdue();
      if (overdue.length === 0) return;
      const validators = parts.connected.validatorPeers();
      for (const { first, asked } of overdue) {
        if (!validators.includes(first.node)) continue;
        const others = validators.filter((node) => !asked.includes(node));
        for (const other of sampleNodes(others, 1, randomBytes)) get(other, first.blockId, first.source, withAncestors);
      }
    },
    /** Whether a block will certainly be issued or given up, so that a vote may wait for it. */
    willEnd: (id: Id): boolean => pending.has(id) || requested.has(id),
    isPreverifying: delivery.isPreverifying,
    afterPreverified: delivery.afterPreverified,
  };
}

/** Whether a child of the block may be issued: the block is processing, or was accepted last. */
const mayHaveChild = (consensus: IssuerParts['consensus'], id: Id): boolean =>
  id === consensus.lastAccepted().id || consensus.isProcessing(id);

/** The last steps of a pending block whose parent is in consensus: preverify, verify, add to consensus. AvalancheGo: engine.go, deliver. */
function createDelivery({ vm, consensus, jobs, blocks, post, onVerified, onInvalid }: IssuerParts) {
  const { pending, unverified, refused } = blocks;
  const preverifying = new Set<Id>();
  const preverifiedJobs = createWaitingJobs();

  /** Keeps a block that was not verified, if votes for it may count for its ancestors: not if its parent is decided. */
  const markUnverified = (block: EngineBlock): void => {
    if (consensus.isProcessing(block.id)) return;
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
  const deliver = (candidate: Candidate, preverifyFailure: { readonly error: unknown } | undefined) => {
    const { block, onEnd } = candidate;
    pending.remove(block.id);
    // Its parent may have been rejected while it was preverified.
    if (!mayHaveChild(consensus, block.parentID) || consensus.isProcessing(block.id)) {
      if (!consensus.isProcessing(block.id)) onEnd?.('dropped');
      return jobs.abandon(block.id);
    }
    const error = preverifyFailure === undefined ? verifyError(block) : preverifyFailure.error;
    if (error !== undefined) {
      onInvalid(block, error);
      refused.add(block.id);
      onEnd?.(preverifyFailure === undefined ? 'refused' : 'dropped');
      markUnverified(block);
      return jobs.abandon(block.id);
    }
    unverified.remove(block.id);
    refused.remove(block.id);
    onVerified(candidate);
    onEnd?.('issued');
    jobs.fulfill(block.id);
  };

  return {
    markUnverified,
    start: (candidate: Candidate): void => {
      const { block } = candidate;
      const end = (failure: { readonly error: unknown } | undefined): void => {
        post(() => {
          preverifying.delete(block.id);
          deliver(candidate, failure);
        });
        post(() => preverifiedJobs.fulfill(block.id));
      };
      preverifying.add(block.id);
      vm.preverify(block).then(
        () => end(undefined),
        (error: unknown) => end({ error }),
      );
    },
    isPreverifying: (): boolean => preverifying.size > 0,
    /** Runs work when all blocks that are being preverified now are issued or given up, and the votes that waited for them are counted. */
    afterPreverified: (run: () => void): void => preverifiedJobs.schedule(run, [...preverifying]),
  };
}

/** Work that waits for blocks: for a parent to be issued, or for the blocks that a vote names. The block issuer ends the wait. AvalancheGo: snow/engine/snowman/job. */
export type WaitingJobs = ReturnType<typeof createWaitingJobs>;

type Job = { readonly run: (isAbandoned: boolean) => void; unresolved: number; isAbandoned: boolean };

export function createWaitingJobs() {
  const jobsOf = new Map<Id, Job[]>();
  /** Blocks whose jobs are still to run. A list, not recursion: abandoning one block may abandon thousands of descendants. */
  const resolved: { readonly block: Id; readonly isAbandoned: boolean }[] = [];
  let isRunning = false;

  const runResolved = (): void => {
    if (isRunning) return;
    isRunning = true;
    try {
      for (let next = resolved.shift(); next !== undefined; next = resolved.shift()) {
        const jobs = jobsOf.get(next.block) ?? [];
        jobsOf.delete(next.block);
        for (const job of jobs) {
          job.unresolved--;
          job.isAbandoned ||= next.isAbandoned;
          if (job.unresolved === 0) job.run(job.isAbandoned);
        }
      }
    } finally {
      isRunning = false;
    }
  };
  const resolve = (block: Id, isAbandoned: boolean): void => {
    if (!jobsOf.has(block)) return;
    resolved.push({ block, isAbandoned });
    runResolved();
  };

  return {
    /** Runs the job when all blocks are fulfilled or abandoned; at once if there are none. */
    schedule: (run: (isAbandoned: boolean) => void, blocks: readonly Id[]) => {
      if (blocks.length === 0) return run(false);
      const job: Job = { run, unresolved: blocks.length, isAbandoned: false };
      for (const block of blocks) {
        const jobs = jobsOf.get(block);
        if (jobs === undefined) jobsOf.set(block, [job]);
        else jobs.push(job);
      }
    },
    /** The block was issued. */
    fulfill: (block: Id): void => resolve(block, false),
    /** The block will not be issued for now. */
    abandon: (block: Id): void => resolve(block, true),
    /** Number of blocks that jobs wait for. */
    count: (): number => jobsOf.size,
  };
}
