import { listSchema, VertexSchema } from '../contract/data-schemas.ts';
import { notFound } from '../rest/api-error.ts';
import { pathId, requiredInteger, sortOrder } from '../rest/params.ts';
import { type ApiRoute, routeDefiner } from '../rest/route.ts';
import type { ServedChains } from '../rest/served-chains.ts';
import { chainParams, chainPath, networkSpelling, requireChain } from './chain.ts';
import type { DataDeps } from './deps.ts';
import { listMetadata } from './list-metadata.ts';
import { pageParams } from './paging.ts';

const defineRoute = routeDefiner<DataDeps>();

const common = { method: 'GET', tag: 'Vertices', cachePolicy: 'block' } as const;
const VertexList = listSchema('ListXChainVerticesResponse', 'vertices', VertexSchema);

/** Vertices are what the X-Chain had before linearization. A chain that started with blocks has none, and nodes do not serve older ones. */
export const vertexRoutes: readonly ApiRoute<DataDeps>[] = [
  defineRoute({
    ...common,
    path: `${chainPath}/vertices`,
    id: 'listLatestXChainVertices',
    summary: 'Always empty: a linearized chain has no vertices',
    params: { ...chainParams, ...pageParams },
    response: VertexList,
    run: async ({ served }, chainRef) => noVertices(served, chainRef),
  }),
  defineRoute({
    ...common,
    path: `${chainPath}/vertices:listByHeight`,
    id: 'getVertexByHeight',
    summary: 'Always empty: a linearized chain has no vertices',
    params: { ...chainParams, vertexHeight: requiredInteger({ min: 0 }), ...pageParams, sortOrder: sortOrder() },
    response: VertexList,
    run: async ({ served }, chainRef) => noVertices(served, chainRef),
  }),
  defineRoute({
    ...common,
    path: `${chainPath}/vertices/{vertexHash}`,
    id: 'getVertexByHash',
    summary: 'Always 404: a linearized chain has no vertices',
    params: { ...chainParams, vertexHash: pathId() },
    response: VertexSchema,
    run: async ({ served }, chainRef) => {
      throw notFound(`${requireChain(served, chainRef).slug} is a linearized chain: it has no vertices`);
    },
  }),
];

const noVertices = async (served: ServedChains, chainRef: Parameters<typeof requireChain>[1]) => ({
  vertices: [],
  ...(await listMetadata(networkSpelling(served, chainRef.network), requireChain(served, chainRef))),
});
