import { parseShortId } from '../../base/bytes/address.ts';
import { Fault } from '../../base/fault.ts';
import type { TimeRange } from '../../ledger/index-read/index-reads.ts';
import { BlockSchema, listSchema } from '../contract/data-schemas.ts';
import { apiError, notFound } from '../rest/api-error.ts';
import type { Param } from '../rest/param.ts';
import { endTimestamp, heightOrId, pathText, startTimestamp } from '../rest/params.ts';
import { quoteValue } from '../rest/quote-value.ts';
import { renderedJson } from '../rest/rendered-json.ts';
import { type ApiRoute, type Paging, routeDefiner } from '../rest/route.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import { readBlockPieces } from './block-pieces.ts';
import { chainParams, chainPath, type NetworkSpelling, networkSpelling, requireChain } from './chain.ts';
import type { DataDeps } from './deps.ts';
import { joinPage } from './json-page.ts';
import { listMetadata } from './list-metadata.ts';
import { atOneEpoch } from './one-epoch.ts';
import { cutPage, openListing, pageParams } from './paging.ts';
import { writeBlock } from './write-block.ts';

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
        lowest: 0,
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
    run: async ({ served, json }, { blockId, ...chainRef }) => {
      const { reads, slug } = requireChain(served, chainRef);
      const block = await reads.block(blockId);
      if (block === undefined) throw notFound(`No such block on ${slug}`);
      return renderedJson(json.collect(() => writeBlock(json, block, served.builder)));
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
      return listBlocks(deps, chain, { spelling, times: { from, to }, limit, paging, lowest: 1 });
    },
  }),
];

type BlockListQuery = {
  readonly spelling: NetworkSpelling;
  readonly times: TimeRange;
  readonly limit: number;
  readonly paging: Paging;
  /** The list ends at this height. */
  readonly lowest: 0 | 1;
};

async function listBlocks(deps: DataDeps, chain: ServedChain, { spelling, times, limit, paging, lowest }: BlockListQuery) {
  const page = atOneEpoch(deps.epoch, async (epoch) => {
    const listing = await openListing(chain.reads, paging);
    const found = await chain.reads.blockHeights({ ...listing, times, order: 'desc', limit: limit + 1 });
    const heights = found.filter((height) => height >= lowest);
    return { listing, heights, pieces: await readBlockPieces(deps, chain, epoch, heights.slice(0, limit)) };
  });
  const [metadata, { listing, heights, pieces }] = await Promise.all([listMetadata(spelling, chain), page]);
  const { nextPageToken } = cutPage(heights, listing, { limit, seqOf: (height) => height, paging });
  return joinPage({ name: 'blocks', pieces, nextPageToken, metadata });
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
