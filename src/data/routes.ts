import type { Route } from '../api/route.ts';
import { assetRoutes } from './asset-routes.ts';
import { blockRoutes } from './block-routes.ts';
import { blockchainRoutes } from './blockchain-routes.ts';
import { chainRoutes } from './chain-routes.ts';
import type { DataDeps } from './deps.ts';
import { holderRoutes } from './holder-routes.ts';
import { platformRoutes } from './platform-routes.ts';
import { txRoutes } from './tx-routes.ts';
import { utxoRoutes } from './utxo-routes.ts';
import { vertexRoutes } from './vertex-routes.ts';

/** The Data interface, its health aside. */
export const dataRoutes = (): Route<DataDeps>[] => [
  ...chainRoutes,
  ...blockchainRoutes,
  ...blockRoutes,
  ...txRoutes,
  ...utxoRoutes,
  ...holderRoutes,
  ...assetRoutes,
  ...vertexRoutes,
  ...platformRoutes,
];
