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
  requested: createRequestedBlocks(createQueueLimit(engineLimits.blockRequests, hasStake), timers),
  pending: createPendingBlocks(createQueueLimit(engineLimits.pendingBlocks, hasStake)),
  unverified: createUnverifiedBlocks(),
  refused: createRefusedBlocks(timers),
});

type BlockRequest = { readonly node: NodeId; readonly requestId: number; readonly blockId: Id; readonly source: BlockSource };

/** Milliseconds without an answer after which another peer is asked for a block too: a frozen peer fails only when its request times out, after seconds. */
export const requestPatience = 500;

/** Peers that are asked for one block. */
const maxAsked = 4;

/** `open`: the requests without an answer; `asked`: the peers that were asked, also those whose request failed. */
type RequestedBlock = {
  readonly open: { readonly request: BlockRequest; readonly end: () => void }[];
  readonly asked: NodeId[];
  lastAsked: number;
};

/** A block that a peer does not send; other peers than `asked` may. */
type OverdueBlock = { readonly first: BlockRequest; readonly asked: readonly NodeId[] };

/** Blocks that peers were asked for and that have not arrived. */
function createRequestedBlocks(limit: Pick<QueueLimit, 'admit'>, { now }: Pick<Timers, 'now'>) {
  const byBlock = new Map<Id, RequestedBlock>();
  const byNode = new Map<NodeId, Map<number, BlockRequest>>();
  const forget = ({ node, requestId }: BlockRequest): void => {
    const ofNode = byNode.get(node);
    ofNode?.delete(requestId);
    if (ofNode?.size === 0) byNode.delete(node);
  };
  return {
    has: (blockId: Id): boolean => byBlock.has(blockId),
    /** Returns false if there are too many requests, in total or to this peer. */
    add: (request: BlockRequest): boolean => {
      const end = limit.admit(request.node, 0);
      if (end === undefined) return false;
      const block = byBlock.get(request.blockId) ?? { open: [], asked: [], lastAsked: 0 };
      block.open.push({ request, end });
      block.asked.push(request.node);
      block.lastAsked = now();
      byBlock.set(request.blockId, block);
      const ofNode = byNode.get(request.node) ?? new Map<number, BlockRequest>();
      byNode.set(request.node, ofNode.set(request.requestId, request));
      return true;
    },
    find: (node: NodeId, requestId: number): BlockRequest | undefined => byNode.get(node)?.get(requestId),
    /** Ends a request that failed. Returns whether another peer is still asked for the block. */
    fail: (request: BlockRequest): boolean => {
      forget(request);
      const block = byBlock.get(request.blockId);
      const at = block?.open.findIndex((one) => one.request === request) ?? -1;
      if (block === undefined || at < 0) return false;
      block.open.splice(at, 1)[0]?.end();
      if (block.open.length > 0) return true;
      byBlock.delete(request.blockId);
      return false;
    },
    remove: (blockId: Id): void => {
      for (const { request, end } of byBlock.get(blockId)?.open ?? []) {
        end();
        forget(request);
      }
      byBlock.delete(blockId);
    },
    overdue: (): OverdueBlock[] => {
      const found: OverdueBlock[] = [];
      for (const { open, asked, lastAsked } of byBlock.values()) {
        const [first] = open;
        if (first !== undefined && asked.length < maxAsked && now() - lastAsked >= requestPatience)
          found.push({ first: first.request, asked: [...asked] });
      }
      return found;
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
