import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { ChainLink } from '../protocol/transport.ts';
import type { QueueLimit } from './queue-limit.ts';

/** Where a block that is issued came from. AvalancheGo: the label `source` of its metric `blks_issued`. */
export type BlockSource = 'pull_gossip' | 'push_gossip' | 'built' | 'unknown';

type BlockRequest = { readonly node: NodeId; readonly requestId: number; readonly blockId: Id; readonly source: BlockSource };

/** Blocks that were asked for with Get and have not arrived. A block is asked for once at a time. */
export type BlockRequests = {
  readonly has: (blockId: Id) => boolean;
  /** Returns false if the block is requested already, or if there are too many requests, in total or to this peer. */
  readonly add: (request: BlockRequest) => boolean;
  readonly find: (node: NodeId, requestId: number) => BlockRequest | undefined;
  readonly remove: (blockId: Id) => void;
  readonly count: () => number;
};

export function createBlockRequests(limit: Pick<QueueLimit, 'admit'>): BlockRequests {
  const byBlock = new Map<Id, { readonly request: BlockRequest; readonly end: () => void }>();
  const byNode = new Map<NodeId, Map<number, BlockRequest>>();
  return {
    has: (blockId) => byBlock.has(blockId),
    add: (request) => {
      const end = byBlock.has(request.blockId) ? undefined : limit.admit(request.node, 0);
      if (end === undefined) return false;
      const ofNode = byNode.get(request.node) ?? new Map<number, BlockRequest>();
      byBlock.set(request.blockId, { request, end });
      byNode.set(request.node, ofNode.set(request.requestId, request));
      return true;
    },
    find: (node, requestId) => byNode.get(node)?.get(requestId),
    remove: (blockId) => {
      const entry = byBlock.get(blockId);
      if (entry === undefined) return;
      const { request, end } = entry;
      end();
      byBlock.delete(blockId);
      const ofNode = byNode.get(request.node);
      ofNode?.delete(request.requestId);
      if (ofNode?.size === 0) byNode.delete(request.node);
    },
    count: () => byBlock.size,
  };
}

/** Asks a peer for a block. Returns false if it cannot be asked now. */
export type RequestBlock = (node: NodeId, blockId: Id, source: BlockSource) => boolean;

export function createBlockRequester(
  { chainId, transport, nextRequestId }: Pick<ChainLink, 'chainId' | 'transport'> & { readonly nextRequestId: () => number },
  requests: Pick<BlockRequests, 'add'>,
): RequestBlock {
  return (node, blockId, source) => {
    // This node has what it knows: asking itself brings nothing.
    if (node === transport.self) return false;
    const requestId = nextRequestId();
    if (!requests.add({ node, requestId, blockId, source })) return false;
    transport.request({ kind: 'get', chainId, requestId, deadline: 0n, containerId: blockId }, [node]);
    return true;
  };
}
