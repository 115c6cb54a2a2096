import { pathText } from '../api/params.ts';
import { notFound } from '../api/refusal.ts';
import { type Route, route } from '../api/route.ts';
import type { Served } from '../api/served.ts';

/** Operations that clients know and that need other data than the AVM chains': they say so, rather than look like a misspelt path. */
const rows: readonly (readonly [method: Route<Served>['method'], path: string, id: string, missing: string])[] = [
  ['GET', '/v2/networks/{network}/metrics/{metric}', 'getStakingMetrics', 'P-Chain data'],
  ['GET', '/v2/validators/metrics/{metric}', 'getValidatorsMetrics', 'P-Chain data'],
  ['GET', '/v2/validation/{l1ValidationId}/metrics/{metric}', 'getValidationMetrics', 'P-Chain data'],
  ['GET', '/v2/validator/{nodeId}/metrics/{metric}', 'getValidatorMetrics', 'P-Chain data'],
  ['GET', '/v2/subnet/{subnetId}/metrics/{metric}', 'getSubnetMetrics', 'P-Chain data'],
  ['GET', '/v2/subnets/{subnetId}/validators:getAddresses', 'getSubnetValidatorAddresses', 'P-Chain data'],
  ['GET', '/v2/icm/timeseries', 'getICMTimeseries', 'interchain messages'],
  ['GET', '/v2/icm/summary', 'getICMSummary', 'interchain messages'],
  ['GET', '/v2/chains/{chainId}/teleporterMetrics/{metric}', 'getTeleporterMetrics', 'interchain messages'],
  ['GET', '/v2/chains/43114/btcb/bridged:getAddresses', 'getBtcbBridgedAddresses', 'C-Chain data'],
  ['POST', '/v2/lookingGlass/compositeQuery', 'compositeQuery', 'C-Chain data'],
];

export const elsewhereRoutes: readonly Route<Served>[] = rows.map(([method, path, id, missing]) =>
  route<Served>()({
    method,
    path,
    id,
    tag: 'Not served here',
    summary: `Always 404: this server has no ${missing}`,
    params: Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, pathText()])),
    response: { description: 'Never given.' },
    keep: 'never',
    run: async () => {
      throw notFound(`This server has no ${missing}`);
    },
  }),
);
