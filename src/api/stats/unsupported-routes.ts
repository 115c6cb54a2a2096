import { anything } from '../contract/schema.ts';
import { notFound } from '../rest/api-error.ts';
import { pathText } from '../rest/params.ts';
import { type ApiRoute, routeDefiner } from '../rest/route.ts';
import type { ServedChains } from '../rest/served-chains.ts';

/** Operations of other Metrics API servers that need data this server does not have. They answer 404 with the reason, unlike an unknown path. */
const operations: readonly (readonly [method: ApiRoute<ServedChains>['method'], path: string, id: string, missing: string])[] = [
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

export const unsupportedMetricsRoutes: readonly ApiRoute<ServedChains>[] = operations.map(([method, path, id, missing]) =>
  routeDefiner<ServedChains>()({
    method,
    path,
    id,
    tag: 'Not served here',
    summary: `Always 404: this server has no ${missing}`,
    params: Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, pathText()])),
    response: anything('Never returned.'),
    cachePolicy: 'never',
    run: async () => {
      throw notFound(`This server has no ${missing}`);
    },
  }),
);
