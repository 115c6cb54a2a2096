import { pChainRows } from '../contract/data-routes.ts';
import { type ApiRoute, implementRoutes } from '../rest/route.ts';
import { addressRoutes } from './address-routes.ts';
import { assetRoutes } from './asset-routes.ts';
import { blockRoutes } from './block-routes.ts';
import { blockchainRoutes } from './blockchain-routes.ts';
import { noPChainData, requireNetwork } from './chain.ts';
import { chainRoutes } from './chain-routes.ts';
import type { DataDeps } from './deps.ts';
import { txRoutes } from './tx-routes.ts';
import { utxoRoutes } from './utxo-routes.ts';
import { vertexRoutes } from './vertex-routes.ts';

const refusePChain = async ({ served }: DataDeps, { network }: { readonly network: string }): Promise<never> => {
  requireNetwork(served, network);
  throw noPChainData();
};

/** Operations about the P-Chain: each answers 404 with the reason. */
export const pChainRoutes = implementRoutes<DataDeps>()(
  pChainRows,
  Object.fromEntries(Object.keys(pChainRows).map((id) => [id, refusePChain])),
);

/** All routes of the Data API except health. */
export const dataRoutes = (): ApiRoute<DataDeps>[] => [
  ...chainRoutes,
  ...blockchainRoutes,
  ...blockRoutes,
  ...txRoutes,
  ...utxoRoutes,
  ...addressRoutes,
  ...assetRoutes,
  ...vertexRoutes,
  ...pChainRoutes,
];
