import { averageTpsMeaning, metricMeanings, metricNames, timeIntervals, unsupportedMetrics, windowNames } from './metrics.ts';
import { type RouteRow, route } from './route.ts';
import { choice, endTimestamp, pageSize, pageToken, startTimestamp, textsInPath } from './route-params.ts';
import { anything, chainName, type Fields, integer, list, number, object, oneOf, optional, type Scalar, text } from './schema.ts';

/** Rows of the Metrics API. Their handlers are in `metrics-api`. */

const chainParam = chainName('A chain of this server by its alias (X), its name (x-chain) or its blockchain ID.', 'X');

const MetricsChainSchema = object('MetricsChain', {
  evmChainId: integer('Always 0: no chain of this server is an EVM chain. Present because clients require a number.'),
  chainName: text(),
  blockchainId: text(),
  subnetId: text(),
  network: oneOf(['mainnet', 'testnet'], 'testnet for every network except mainnet.'),
});

const MetricsPointSchema = object('MetricsPoint', {
  value: number(),
  timestamp: integer('Start of the hour, day, week or month that the value covers, in Unix seconds.'),
});

const nextMetricsPageTokenSchema = text('Pass it as pageToken to get the next page. Absent on the last page.');

const meanings = metricNames.map((name) => `${name}: ${metricMeanings[name].meaning}`).join('\n\n');
const dayOnlyMetrics = metricNames.filter((name) => metricMeanings[name].units.length === 1).join(', ');

const metricParam = { ...oneOf(metricNames), example: 'txCount', unavailable: unsupportedMetrics };

export const averageTpsRows = {
  getAverageTps: route({
    method: 'GET',
    path: '/v1/avg_tps/{chainId}',
    tag: 'Chain metrics',
    summary: 'Average transactions per second, day by day',
    description:
      'The metric avgTps of /v2 in the response format of /v1. Days are UTC days, newest first, from the day of block 1 until today; days without blocks are 0. A chain without a block 1 has no results yet.',
    params: { chainId: chainParam, pageToken },
    response: object('AverageTps', {
      results: list(MetricsPointSchema, `value: ${averageTpsMeaning}`),
      status: integer('Always 200.'),
      lastRun: integer(
        'When the series was last updated, in Unix seconds: the current time, since every response is computed from the latest blocks; or the time of the last block while the followed node or the indexer does not respond.',
      ),
      nextPageToken: optional(nextMetricsPageTokenSchema),
    }),
    cachePolicy: 'block-and-second',
  }),
};

export const metricsChainRows = {
  listChains: route({
    method: 'GET',
    path: '/v2/chains',
    tag: 'Chains',
    summary: 'The chains that this server has metrics for',
    // All chains fit on one page, so no token is ever issued; pageToken is accepted because clients send it.
    params: { pageToken, network: optional(text('mainnet, testnet (fuji is the same), or the name of the network.')) },
    response: object('ListMetricsChainsResponse', {
      nextPageToken: optional(nextMetricsPageTokenSchema),
      chains: list(MetricsChainSchema),
    }),
    cachePolicy: 'block',
  }),
  getChain: route({
    method: 'GET',
    path: '/v2/chains/{chainId}',
    tag: 'Chains',
    summary: 'One chain',
    params: { chainId: chainParam },
    response: MetricsChainSchema,
    cachePolicy: 'block',
  }),
};

const windowValues = Object.fromEntries(windowNames.map((name) => [name, number()])) as {
  readonly [name in (typeof windowNames)[number]]: Scalar<'number'>;
};

export const metricRows = {
  getChainMetrics: route({
    method: 'GET',
    path: '/v2/chains/{chainId}/metrics/{metric}',
    tag: 'Chain metrics',
    summary: 'A metric of a chain over time',
    description: `Newest first, from block 1 on. A value covers the hour, day, week or month that begins at its timestamp; the newest value may still change. An interval without blocks has the value 0; cumulative metrics keep their previous value.\n\n${meanings}`,
    params: {
      chainId: chainParam,
      metric: metricParam,
      timeInterval: choice(timeIntervals, 'day', `Only day for ${dayOnlyMetrics}. In UTC; weeks begin on Monday.`),
      startTimestamp,
      endTimestamp,
      pageToken,
      pageSize: pageSize(100, 2160),
    },
    response: object('MetricsApiResponse', { nextPageToken: optional(nextMetricsPageTokenSchema), results: list(MetricsPointSchema) }),
    cachePolicy: 'block-and-second',
  }),
  getChainRollingWindowMetrics: route({
    method: 'GET',
    path: '/v2/chains/{chainId}/rollingWindowMetrics/{metric}',
    tag: 'Chain metrics',
    summary: 'A metric of a chain over windows that end now',
    description: `The last hour, day, 7, 30, 90 and 365 days, exact to the second, and all time.\n\n${meanings}`,
    params: { chainId: chainParam, metric: metricParam },
    response: object('RollingWindowMetricsApiResponse', {
      result: object('RollingWindowMetrics', windowValues),
    }),
    cachePolicy: 'block-and-second',
  }),
};

/** Operations of other Metrics API servers that need data this server does not have. They answer 404 with the reason, unlike an unknown path. */
const unsupported: readonly (readonly [method: RouteRow['method'], path: string, id: string, missing: string])[] = [
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

export const unsupportedMetricsRows: { readonly [id: string]: RouteRow<Fields> & { readonly missing: string } } = Object.fromEntries(
  unsupported.map(([method, path, id, missing]) => [
    id,
    {
      method,
      path,
      tag: 'Not served here',
      summary: `Always 404: this server has no ${missing}`,
      params: textsInPath(path),
      response: anything('Never returned.'),
      cachePolicy: 'never',
      missing,
    },
  ]),
);
