import { pathId, requiredInteger, sortOrder } from '../api/params.ts';
import { notFound } from '../api/refusal.ts';
import { type Route, route } from '../api/route.ts';
import type { Served } from '../api/served.ts';
import { chainAt, chainPath, placeParams, spellingOf } from './chain.ts';
import type { DataDeps } from './deps.ts';
import { listFrame } from './list-frame.ts';
import { pageParams } from './paging.ts';
import { listSchema, Vertex } from './schemas.ts';

const row = route<DataDeps>();

const common = { method: 'GET', tag: 'Vertices', keep: 'tip-only' } as const;
const VertexList = listSchema('ListXChainVerticesResponse', 'vertices', Vertex);

/** What the X-Chain was made of before it had blocks. A chain that began with blocks has none, and of older ones no node tells them. */
export const vertexRoutes: readonly Route<DataDeps>[] = [
  row({
    ...common,
    path: `${chainPath}/vertices`,
    id: 'listLatestXChainVertices',
    summary: 'Always empty: a chain of blocks has no vertices',
    params: { ...placeParams, ...pageParams },
    response: VertexList,
    run: async ({ served }, place) => noVertices(served, place),
  }),
  row({
    ...common,
    path: `${chainPath}/vertices:listByHeight`,
    id: 'getVertexByHeight',
    summary: 'Always empty: a chain of blocks has no vertices',
    params: { ...placeParams, vertexHeight: requiredInteger({ min: 0 }), ...pageParams, sortOrder: sortOrder() },
    response: VertexList,
    run: async ({ served }, place) => noVertices(served, place),
  }),
  row({
    ...common,
    path: `${chainPath}/vertices/{vertexHash}`,
    id: 'getVertexByHash',
    summary: 'Always 404: a chain of blocks has no vertices',
    params: { ...placeParams, vertexHash: pathId() },
    response: Vertex,
    run: async ({ served }, place) => {
      throw notFound(`${chainAt(served, place).slug} is a chain of blocks: it has no vertices`);
    },
  }),
];

const noVertices = async (served: Served, place: Parameters<typeof chainAt>[1]) => ({
  vertices: [],
  ...(await listFrame(spellingOf(served, place.network), chainAt(served, place))),
});
