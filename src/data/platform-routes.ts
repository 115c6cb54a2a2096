import { pathText } from '../api/params.ts';
import { type Route, route } from '../api/route.ts';
import { checkNetwork, noPlatformData } from './chain.ts';
import type { DataDeps } from './deps.ts';

/** Operations that clients know and only a P-Chain could answer: they say so, rather than look like a misspelt path. */
const rows: readonly (readonly [path: string, id: string])[] = [
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

export const platformRoutes: readonly Route<DataDeps>[] = rows.map(([path, id]) =>
  route<DataDeps>()({
    method: 'GET',
    path: `/v1/networks/{network}${path}`,
    id,
    tag: 'Not served here',
    summary: 'Always 404: this server has no P-Chain data',
    params: { network: pathText(), ...Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, pathText()])) },
    response: { description: 'Never given.' },
    keep: 'tip-only',
    run: async ({ served }, { network }) => {
      checkNetwork(served, network);
      throw noPlatformData();
    },
  }),
);
