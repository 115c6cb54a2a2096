import { apiError, notFound } from '../api/api-error.ts';
import type { Param } from '../api/param.ts';
import { endTimestamp, heightOrId, pathText, startTimestamp } from '../api/params.ts';
import { quoteValue } from '../api/quote-value.ts';
import { type ApiRoute, type Paging, routeDefiner } from '../api/route.ts';
import type { ServedChain } from '../api/served-chains.ts';
import { parseShortId } from '../bytes/address.ts';
import { Fault } from '../fault.ts';
import type { BlockEntry, TimeRange } from '../index-read/index-reads.ts';
import { chainParams, chainPath, type NetworkSpelling, networkSpelling, requireChain } from './chain.ts';
import type { DataDeps } from './deps.ts';
import { listMetadata } from './list-metadata.ts';
import { cutPage, openListing, pageParams } from './paging.ts';
import { renderBlock } from './render-block.ts';
import { BlockSchema, listSchema } from './schemas.ts';

const defineRoute = routeDefiner<DataDeps>();

const BlockList = listSchema('ListPrimaryNetworkBlocksResponse', 'blocks', BlockSchema);

export const blockRoutes: readonly ApiRoute<DataDeps>[] = [
  defineRoute({
    method: 'GET',
    path: `${chainPath}/blocks`,
    id: 'listLatestPrimaryNetworkBlocks',
    tag: 'Blocks',
    summary: 'Blocks, newest first',
    params: { ...chainParams, startTimestamp, endTimestamp, ...pageParams },
    response: BlockList,
    cachePolicy: 'pinned-page',
    run: async (deps, { startTimestamp: from, endTimestamp: to, pageSize: limit, ...chainRef }, { paging }) => {
      const spelling = networkSpelling(deps.served, chainRef.network);
      return listBlocks(deps, requireChain(deps.served, chainRef), {
        spelling,
        times: { from, to },
        limit,
        paging,
        isListed: () => true,
      });
    },
  }),
  defineRoute({
    method: 'GET',
    path: `${chainPath}/blocks/{blockId}`,
    id: 'getBlockById',
    tag: 'Blocks',
    summary: 'One block, by its height or its hash',
    params: { ...chainParams, blockId: heightOrId({ description: 'A height or a block hash.', example: '0' }) },
    response: BlockSchema,
    cachePolicy: 'block',
    run: async ({ served }, { blockId, ...chainRef }) => {
      const { reads, slug } = requireChain(served, chainRef);
      const block = await reads.block(blockId);
      if (block === undefined) throw notFound(`No such block on ${slug}`);
      return renderBlock(block, served.builder);
    },
  }),
  defineRoute({
    method: 'GET',
    path: `${chainPath}/nodes/{nodeId}/blocks`,
    id: 'listPrimaryNetworkBlocksByNodeId',
    tag: 'Blocks',
    summary: 'Blocks built by a node, newest first. Only where one node builds all blocks, since a block does not contain its proposer',
    params: { ...chainParams, nodeId: nodeIdParam(), startTimestamp, endTimestamp, ...pageParams },
    response: BlockList,
    cachePolicy: 'pinned-page',
    run: async (deps, { nodeId, startTimestamp: from, endTimestamp: to, pageSize: limit, ...chainRef }, { paging }) => {
      const { served } = deps;
      const chain = requireChain(served, chainRef);
      if (served.builder === undefined) throw notFound(`This server does not know which node built the blocks of ${chain.slug}`);
      const spelling = networkSpelling(served, chainRef.network);
      if (served.builder !== nodeId) return { blocks: [], ...(await listMetadata(spelling, chain)) };
      return listBlocks(deps, chain, { spelling, times: { from, to }, limit, paging, isListed: ({ height }) => height > 0 });
    },
  }),
];

type BlockListQuery = {
  readonly spelling: NetworkSpelling;
  readonly times: TimeRange;
  readonly limit: number;
  readonly paging: Paging;
  /** Filters the last block of the list, block 0. */
  readonly isListed: (block: BlockEntry) => boolean;
};

async function listBlocks(deps: DataDeps, chain: ServedChain, { spelling, times, limit, paging, isListed }: BlockListQuery) {
  const [listing, metadata] = await Promise.all([openListing(chain.reads, paging), listMetadata(spelling, chain)]);
  const rows = await chain.reads.blocks({ ...listing, times, order: 'desc', limit: limit + 1 });
  const { items, nextPageToken } = cutPage(rows.filter(isListed), listing, { limit, seqOf: ({ height }) => height, paging });
  return { nextPageToken, blocks: items.map((block) => renderBlock(block, deps.served.builder)), ...metadata };
}

/** A node ID: `NodeID-` and 20 bytes in CB58. */
function nodeIdParam(): Param<string> {
  const plain = pathText({ description: 'NodeID-...' });
  return {
    ...plain,
    read: ([text = ''], name) => {
      try {
        if (!text.startsWith(nodePrefix)) throw apiError(400, 'no prefix');
        parseShortId(text.slice(nodePrefix.length));
        return text;
      } catch (error) {
        if (error instanceof Fault) throw apiError(400, `${name} must be a node ID (${nodePrefix}...), not ${quoteValue(text)}`);
        throw error;
      }
    },
  };
}

const nodePrefix = 'NodeID-';
