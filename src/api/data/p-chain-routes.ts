import { anything } from '../contract/schema.ts';
import { pathText } from '../rest/params.ts';
import { type ApiRoute, routeDefiner } from '../rest/route.ts';
import { noPChainData, requireNetwork } from './chain.ts';
import type { DataDeps } from './deps.ts';

/** Data API operations that need P-Chain data. They answer 404 with the reason, unlike an unknown path. */
const operations: readonly (readonly [path: string, id: string])[] = [
  ['', 'getNetworkDetails'],
  ['/subnets', 'listSubnets'],
  ['/subnets/{subnetId}', 'getSubnetById'],
  ['/validators', 'listValidators'],
  ['/validators/{nodeId}', 'getSingleValidatorDetails'],
  ['/delegators', 'listDelegators'],
  ['/l1Validators', 'listL1Validators'],
  ['/rewards', 'listHistoricalPrimaryNetworkRewards'],
  ['/rewards:listPending', 'listPendingPrimaryNetworkRewards'],
  ['/blockchains/{blockchainId}/transactions:listStaking', 'listActivePrimaryNetworkStakingTransactions'],
];

export const pChainRoutes: readonly ApiRoute<DataDeps>[] = operations.map(([path, id]) =>
  routeDefiner<DataDeps>()({
    method: 'GET',
    path: `/v1/networks/{network}${path}`,
    id,
    tag: 'Not served here',
    summary: 'Always 404: this server has no P-Chain data',
    params: { network: pathText(), ...Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, pathText()])) },
    response: anything('Never returned.'),
    cachePolicy: 'block',
    run: async ({ served }, { network }) => {
      requireNetwork(served, network);
      throw noPChainData();
    },
  }),
);
