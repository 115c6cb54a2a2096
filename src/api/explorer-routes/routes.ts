import type { ApiRoute } from '../rest/route.ts';
import { assetListRoutes } from './asset-routes.ts';
import { balanceHistoryRoutes } from './balance-history-routes.ts';
import { blockSummaryRoutes } from './block-routes.ts';
import { crossChainRoutes } from './cross-chain-routes.ts';
import type { ExplorerDeps } from './deps.ts';
import { lifecycleRoutes, mempoolRoutes, txCheckRoutes } from './live-routes.ts';
import { searchRoutes } from './search.ts';
import { throughputRoutes } from './throughput-routes.ts';
import { txSummaryRoutes } from './tx-summary-routes.ts';
import { outputRoutes } from './utxo-routes.ts';

/** What a server has beside the history index. */
export type ExplorerFeatures = {
  /** It runs or follows the chain, so it knows what became of the transactions that were issued to it. */
  readonly hasLifecycle: boolean;
  /** It runs the chain itself, so it has its mempool. */
  readonly hasMempool: boolean;
};

/** The routes that the explorer page needs beside those of the Data API. A route that the server has no data for is left out. */
export const explorerRoutes = ({ hasLifecycle, hasMempool }: ExplorerFeatures): ApiRoute<ExplorerDeps>[] => [
  ...assetListRoutes,
  ...blockSummaryRoutes,
  ...txSummaryRoutes,
  ...outputRoutes,
  ...balanceHistoryRoutes,
  ...crossChainRoutes,
  ...throughputRoutes,
  ...searchRoutes,
  ...(hasLifecycle ? lifecycleRoutes : []),
  ...(hasMempool ? [...mempoolRoutes, ...txCheckRoutes] : []),
];
