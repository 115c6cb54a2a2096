import type { Param } from '../api/param.ts';
import { endTimestamp, heightOrId, pathText, startTimestamp } from '../api/params.ts';
import { notFound, refuse } from '../api/refusal.ts';
import { type Pages, type Route, route } from '../api/route.ts';
import type { ServedChain } from '../api/served.ts';
import { shown } from '../api/shown-value.ts';
import { parseShortId } from '../bytes/address.ts';
import { Fault } from '../fault.ts';
import type { BlockEntry, Times } from '../index-read/index-reads.ts';
import { chainAt, chainPath, placeParams, type Spelling, spellingOf } from './chain.ts';
import type { DataDeps } from './deps.ts';
import { listFrame } from './list-frame.ts';
import { listingOf, pageOf, pageParams } from './paging.ts';
import { renderBlock } from './render-block.ts';
import { Block, listSchema } from './schemas.ts';

const row = route<DataDeps>();

const BlockList = listSchema('ListPrimaryNetworkBlocksResponse', 'blocks', Block);

export const blockRoutes: readonly Route<DataDeps>[] = [
  row({
    method: 'GET',
    path: `${chainPath}/blocks`,
    id: 'listLatestPrimaryNetworkBlocks',
    tag: 'Blocks',
    summary: 'Blocks, newest first',
    params: { ...placeParams, startTimestamp, endTimestamp, ...pageParams },
    response: BlockList,
    keep: 'pin',
    run: async (deps, { startTimestamp: from, endTimestamp: to, pageSize: limit, ...place }, { pages }) => {
      const spelling = spellingOf(deps.served, place.network);
      return listBlocks(deps, chainAt(deps.served, place), { spelling, times: { from, to }, limit, pages, isListed: () => true });
    },
  }),
  row({
    method: 'GET',
    path: `${chainPath}/blocks/{blockId}`,
    id: 'getBlockById',
    tag: 'Blocks',
    summary: 'One block, by its height or its hash',
    params: { ...placeParams, blockId: heightOrId({ description: 'A height or a block hash.', example: '0' }) },
    response: Block,
    keep: 'tip-only',
    run: async ({ served }, { blockId, ...place }) => {
      const { reads, slug } = chainAt(served, place);
      const block = await reads.block(blockId);
      if (block === undefined) throw notFound(`No such block on ${slug}`);
      return renderBlock(block, served.builder);
    },
  }),
  row({
    method: 'GET',
    path: `${chainPath}/nodes/{nodeId}/blocks`,
    id: 'listPrimaryNetworkBlocksByNodeId',
    tag: 'Blocks',
    summary: 'Blocks that a node built, newest first. Only where one node builds them all: who proposed a block is not part of it',
    params: { ...placeParams, nodeId: nodeIdParam(), startTimestamp, endTimestamp, ...pageParams },
    response: BlockList,
    keep: 'pin',
    run: async (deps, { nodeId, startTimestamp: from, endTimestamp: to, pageSize: limit, ...place }, { pages }) => {
      const { served } = deps;
      const chain = chainAt(served, place);
      if (served.builder === undefined) throw notFound(`This server does not know which node built which block of ${chain.slug}`);
      const spelling = spellingOf(served, place.network);
      if (served.builder !== nodeId) return { blocks: [], ...(await listFrame(spelling, chain)) };
      return listBlocks(deps, chain, { spelling, times: { from, to }, limit, pages, isListed: ({ height }) => height > 0 });
    },
  }),
];

type Asked = {
  readonly spelling: Spelling;
  readonly times: Times;
  readonly limit: number;
  readonly pages: Pages;
  /** Whether the last block of the list, block 0, is in it. */
  readonly isListed: (block: BlockEntry) => boolean;
};

async function listBlocks(deps: DataDeps, chain: ServedChain, { spelling, times, limit, pages, isListed }: Asked) {
  const [listing, frame] = await Promise.all([listingOf(chain.reads, pages), listFrame(spelling, chain)]);
  const rows = await chain.reads.blocks({ ...listing, times, order: 'desc', limit: limit + 1 });
  const { items, nextPageToken } = pageOf(rows.filter(isListed), listing, { limit, numberOf: ({ height }) => height, pages });
  return { nextPageToken, blocks: items.map((block) => renderBlock(block, deps.served.builder)), ...frame };
}

/** `NodeID-` and 20 bytes in CB58. */
function nodeIdParam(): Param<string> {
  const plain = pathText({ description: 'NodeID-...' });
  return {
    ...plain,
    read: ([text = ''], name) => {
      try {
        if (!text.startsWith(nodePrefix)) throw refuse(400, 'no prefix');
        parseShortId(text.slice(nodePrefix.length));
        return text;
      } catch (error) {
        if (error instanceof Fault) throw refuse(400, `${name} must be a node ID (${nodePrefix}...), not ${shown(text)}`);
        throw error;
      }
    },
  };
}

const nodePrefix = 'NodeID-';
