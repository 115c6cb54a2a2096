import type { TimeRange } from '../../ledger/index-read/index-reads.ts';
import { blockRows } from '../contract/data-routes.ts';
import { notFound } from '../rest/api-error.ts';
import { implementRoutes, type Paging } from '../rest/route.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import { rawJson } from '../rpc/write-json.ts';
import { readBlockPieces } from './block-pieces.ts';
import { listMetadata, type NetworkSpelling, networkSpelling, requireChain } from './chain.ts';
import type { DataDeps } from './deps.ts';
import { joinPage } from './json-page.ts';
import { atOneEpoch } from './one-epoch.ts';
import { cutPage, openListing } from './paging.ts';
import { writeBlock } from './write-block.ts';

/** Handlers of the Data API about blocks: lists, and one by number or ID. Their rows are `blockRows` in contract/data-routes.ts. */
export const blockRoutes = implementRoutes<DataDeps>()(blockRows, {
  listLatestPrimaryNetworkBlocks: async (deps, { startTimestamp: from, endTimestamp: to, pageSize: limit, ...chainRef }, { paging }) => {
    const spelling = networkSpelling(deps.served, chainRef.network);
    return listBlocks(deps, requireChain(deps.served, chainRef), {
      spelling,
      times: { from, to },
      limit,
      paging,
      lowest: 0,
    });
  },
  getBlockById: async ({ served, json }, { blockId, ...chainRef }) => {
    const { reads, slug } = requireChain(served, chainRef);
    const block = await reads.block(blockId);
    if (block === undefined) throw notFound(`No such block on ${slug}`);
    return rawJson(json.collect(() => writeBlock(json, block, served.builder)));
  },
  listPrimaryNetworkBlocksByNodeId: async (
    deps,
    { nodeId, startTimestamp: from, endTimestamp: to, pageSize: limit, ...chainRef },
    { paging },
  ) => {
    const { served } = deps;
    const chain = requireChain(served, chainRef);
    if (served.builder === undefined) throw notFound(`This server does not know which node built the blocks of ${chain.slug}`);
    const spelling = networkSpelling(served, chainRef.network);
    if (served.builder !== nodeId) return { blocks: [], ...(await listMetadata(spelling, chain)) };
    return listBlocks(deps, chain, { spelling, times: { from, to }, limit, paging, lowest: 1 });
  },
});

/** A page of blocks, newest first. The list ends at the height `lowest`. */
async function listBlocks(
  deps: DataDeps,
  chain: ServedChain,
  {
    spelling,
    times,
    limit,
    paging,
    lowest,
  }: {
    readonly spelling: NetworkSpelling;
    readonly times: TimeRange;
    readonly limit: number;
    readonly paging: Paging;
    readonly lowest: 0 | 1;
  },
) {
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
