import type { EngineBlock } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { createLruMap } from '../../base/cache/lru-map.ts';
import type { Timers } from '../../base/timing/timers.ts';
import { engineLimits } from './engine-parameters.ts';
import { createQueueLimit, type QueueLimit } from './queue-limit.ts';

/** Where a block that is issued came from. AvalancheGo: the label `source` of its metric `blks_issued`. */
export type BlockSource = 'pull_gossip' | 'push_gossip' | 'built' | 'unknown';

/** Blocks that this node knows of and that are not in consensus. block-issuer.ts moves blocks from one of these tables to the next. */
export type UnissuedBlocks = ReturnType<typeof createUnissuedBlocks>;

export const createUnissuedBlocks = (timers: Pick<Timers, 'now'>, hasStake: (node: NodeId) => boolean) => ({
  requested: createRequestedBlocks(createQueueLimit(engineLimits.blockRequests, hasStake)),
  pending: createPendingBlocks(createQueueLimit(engineLimits.pendingBlocks, hasStake)),
  unverified: createUnverifiedBlocks(),
  refused: createRefusedBlocks(timers),
});

type BlockRequest = { readonly node: NodeId; readonly requestId: number; readonly blockId: Id; readonly source: BlockSource };

/** Blocks that a peer was asked for with Get and that have not arrived. A block is asked for once at a time. */
function createRequestedBlocks(limit: Pick<QueueLimit, 'admit'>) {
  const byBlock = new Map<Id, { readonly request: BlockRequest; readonly end: () => void }>();
  const byNode = new Map<NodeId, Map<number, BlockRequest>>();
  return {
    has: (blockId: Id): boolean => byBlock.has(blockId),
    /** Returns false if the block is requested already, or if there are too many requests, in total or to this peer. */
    add: (request: BlockRequest): boolean => {
      const end = byBlock.has(request.blockId) ? undefined : limit.admit(request.node, 0);
      if (end === undefined) return false;
      const ofNode = byNode.get(request.node) ?? new Map<number, BlockRequest>();
      byBlock.set(request.blockId, { request, end });
      byNode.set(request.node, ofNode.set(request.requestId, request));
      return true;
    },
    find: (node: NodeId, requestId: number): BlockRequest | undefined => byNode.get(node)?.get(requestId),
    remove: (blockId: Id): void => {
      const entry = byBlock.get(blockId);
      if (entry === undefined) return;
      const { request, end } = entry;
      end();
      byBlock.delete(blockId);
      const ofNode = byNode.get(request.node);
      ofNode?.delete(request.requestId);
      if (ofNode?.size === 0) byNode.delete(request.node);
    },
    count: (): number => byBlock.size,
  };
}

/** Blocks that wait for their parent or are being preverified. */
function createPendingBlocks(limit: Pick<QueueLimit, 'admit'>) {
  const entries = new Map<Id, { readonly block: EngineBlock; readonly end: () => void }>();
  return {
    /** Returns false if there is no room, in total or for blocks of this peer. */
    add: (node: NodeId, block: EngineBlock): boolean => {
      const end = limit.admit(node, block.bytes.length);
      if (end === undefined) return false;
      entries.set(block.id, { block, end });
      return true;
    },
    get: (id: Id): EngineBlock | undefined => entries.get(id)?.block,
    has: (id: Id): boolean => entries.has(id),
    remove: (id: Id): void => {
      entries.get(id)?.end();
      entries.delete(id);
    },
    count: (): number => entries.size,
  };
}

/**
 * Blocks that were received but could not be verified. A vote for one of them counts for its nearest processing ancestor. Bounded; the least
 * recently used is removed.
 */
function createUnverifiedBlocks() {
  const blocks = createLruMap<EngineBlock>();
  let bytes = 0;
  const remove = (id: Id): void => {
    const block = blocks.get(id);
    if (block === undefined) return;
    bytes -= block.bytes.length;
    blocks.delete(id);
  };
  return {
    add: (block: EngineBlock): void => {
      remove(block.id);
      blocks.set(block.id, block);
      bytes += block.bytes.length;
      for (let oldest = blocks.oldest(); oldest !== undefined; oldest = blocks.oldest()) {
        if (blocks.size() <= engineLimits.unverifiedBlocks && bytes <= engineLimits.unverifiedBytes) return;
        remove(oldest.value.id);
      }
    },
    get: (id: Id): EngineBlock | undefined => blocks.get(id),
    remove,
    count: (): number => blocks.size(),
  };
}

/** Milliseconds in which a refused block is not fetched and verified again: twice as long after each refusal, up to a second: so soon a block is verified when what it needs is there. */
const pause = { first: 250, max: 1000 } as const;
/** Pauses that are kept; a block whose pause is not kept is only verified again sooner. */
const maxPauses = 1024;

/**
 * Blocks that were refused lately. Peers name such a block with every vote, but only time can change the verdict: the validators that it refers to
 * become known, or its timestamp is reached.
 */
function createRefusedBlocks({ now }: Pick<Timers, 'now'>) {
  const pauses = createLruMap<{ readonly until: number; readonly length: number }>(maxPauses);
  return {
    add: (block: Id): void => {
      const length = Math.min(pause.max, 2 * (pauses.get(block)?.length ?? pause.first / 2));
      pauses.set(block, { until: now() + length, length });
    },
    remove: (block: Id): void => pauses.delete(block),
    isPaused: (block: Id): boolean => (pauses.get(block)?.until ?? 0) > now(),
  };
}
