import { idText } from '../../base/bytes/id.ts';
import type { ListedVertex, VertexQuery } from '../../ledger/vertices/vertex-reads.ts';
import { vertexRows } from '../contract/data-routes.ts';
import { notFound } from '../rest/api-error.ts';
import { implementRoutes, type Paging } from '../rest/route.ts';
import type { ServedChain, ServedChains } from '../rest/served-chains.ts';
import { listMetadata, networkSpelling, requireChain } from './chain.ts';
import type { DataDeps } from './deps.ts';
import { cutPage, openListing } from './paging.ts';

/** Vertices are what the X-Chain had before linearization. A chain that began with blocks has none. */
export const vertexRoutes = implementRoutes<DataDeps>()(vertexRows, {
  listLatestXChainVertices: async ({ served }, { pageSize: limit, ...chainRef }, { paging }) =>
    listVertices(served, chainRef, paging, { order: 'desc', limit }),
  getVertexByHeight: async ({ served }, { vertexHeight: height, sortOrder: order = 'desc', pageSize: limit, ...chainRef }, { paging }) =>
    listVertices(served, chainRef, paging, { order, limit, height }),
  getVertexByHash: async ({ served }, { vertexHash, ...chainRef }) => {
    const chain = requireChain(served, chainRef);
    const vertex = chain.vertices?.vertex(vertexHash);
    if (vertex === undefined) throw notFound(`No such vertex on ${chain.slug}`);
    return renderVertex(vertex, await linearizationTime(chain));
  },
});

async function listVertices(
  served: ServedChains,
  chainRef: Parameters<typeof requireChain>[1],
  paging: Paging,
  query: Omit<VertexQuery, 'after'>,
) {
  const chain = requireChain(served, chainRef);
  const listing = await openListing(chain.reads, paging);
  const found = chain.vertices?.list({ ...query, after: listing.after, limit: query.limit + 1 }) ?? [];
  const { items, nextPageToken } = cutPage(found, listing, { limit: query.limit, seqOf: ({ number }) => number, paging });
  const time = found.length === 0 ? 0 : await linearizationTime(chain);
  return {
    nextPageToken,
    vertices: items.map((vertex) => renderVertex(vertex, time)),
    ...(await listMetadata(networkSpelling(served, chainRef.network), chain)),
  };
}

/** The time of block 0: vertices have none of their own, and the transactions in them have this one too. */
async function linearizationTime({ reads }: ServedChain): Promise<number> {
  const [first] = await reads.blocks([0]);
  return first?.time ?? 0;
}

const renderVertex = ({ id, parentIDs, height, number, txIDs, size }: ListedVertex, time: number) => ({
  vertexHash: idText(id),
  parentHashes: parentIDs.map(idText),
  vertexHeight: Number(height),
  vertexIndex: number,
  vertexTimestamp: time,
  txCount: txIDs.length,
  vertexSizeBytes: size,
  transactions: txIDs.map(idText),
});
