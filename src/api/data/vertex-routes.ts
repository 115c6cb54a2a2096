import { vertexRows } from '../contract/data-routes.ts';
import { notFound } from '../rest/api-error.ts';
import { implementRoutes } from '../rest/route.ts';
import type { ServedChains } from '../rest/served-chains.ts';
import { networkSpelling, requireChain } from './chain.ts';
import type { DataDeps } from './deps.ts';
import { listMetadata } from './list-metadata.ts';

/** Vertices are what the X-Chain had before linearization. A chain that started with blocks has none, and nodes do not serve older ones. */
export const vertexRoutes = implementRoutes<DataDeps>()(vertexRows, {
  listLatestXChainVertices: async ({ served }, chainRef) => noVertices(served, chainRef),
  getVertexByHeight: async ({ served }, chainRef) => noVertices(served, chainRef),
  getVertexByHash: async ({ served }, chainRef) => {
    throw notFound(`${requireChain(served, chainRef).slug} is a linearized chain: it has no vertices`);
  },
});

const noVertices = async (served: ServedChains, chainRef: Parameters<typeof requireChain>[1]) => ({
  vertices: [],
  ...(await listMetadata(networkSpelling(served, chainRef.network), requireChain(served, chainRef))),
});
