import type { ApiRoute } from '../rest/route.ts';
import { addressRoutes } from './address-routes.ts';
import { assetRoutes } from './asset-routes.ts';
import { blockRoutes } from './block-routes.ts';
import { blockchainRoutes } from './blockchain-routes.ts';
import { chainRoutes } from './chain-routes.ts';
import type { DataDeps } from './deps.ts';
import { pChainRoutes } from './p-chain-routes.ts';
import { txRoutes } from './tx-routes.ts';
import { utxoRoutes } from './utxo-routes.ts';
import { vertexRoutes } from './vertex-routes.ts';

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
