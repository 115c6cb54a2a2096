import { bucketUnitNames } from '../../ledger/index/bucket-start.ts';
import { list, number, object, optional } from '../contract/schema.ts';
import { apiError, invalidParams } from '../rest/api-error.ts';
import type { Param } from '../rest/param.ts';
import { choice, endTimestamp, pageSize, pageToken, pathChoice, startTimestamp } from '../rest/params.ts';
import { quoteValue } from '../rest/quote-value.ts';
import { renderedJson } from '../rest/rendered-json.ts';
import { type ApiRoute, routeDefiner } from '../rest/route.ts';
import { chainParam, requireMetricsChain } from './chain.ts';
import { type Metric, type MetricName, metricNames, metrics, unsupportedMetrics } from './metric.ts';
import { MetricsPointSchema, nextMetricsPageTokenSchema, nextTokenAfter } from './points.ts';
import { readPeriod, seriesPage } from './series.ts';
import { noSeriesCache, type StatsDeps } from './series-cache.ts';
import { readSeriesJson } from './series-json.ts';
import { readWindowValues, rollingWindows } from './windows.ts';

const defineRoute = routeDefiner<StatsDeps>();

const meanings = metricNames.map((name) => `${name}: ${metrics[name].meaning}`).join('\n\n');

const metricParam: Param<MetricName> = {
  ...pathChoice(metricNames, { example: 'txCount' }),
  read: ([text = ''], name) => {
    const found = metricNames.find((metric) => metric === text);
    if (found !== undefined) return found;
    const missing = unsupportedMetrics.get(text);
    const served = `${name} must be one of the following values: ${metricNames.join(', ')}`;
    throw apiError(
      400,
      missing === undefined ? served : `${name} ${quoteValue(text)} is not available: AVM chains have no ${missing}; ${served}`,
    );
  },
};

export const metricRoutes: readonly ApiRoute<StatsDeps>[] = [
  defineRoute({
    method: 'GET',
    path: '/v2/chains/{chainId}/metrics/{metric}',
    id: 'getChainMetrics',
    tag: 'Chain metrics',
    summary: 'A metric of a chain over time',
    description: `Newest first, from block 1 on. A value covers the hour, day, week or month that begins at its timestamp; the newest value may still change. An interval without blocks has the value 0; cumulative metrics keep their previous value.\n\n${meanings}`,
    params: {
      chainId: chainParam,
      metric: metricParam,
      timeInterval: choice(bucketUnitNames, 'day', `Only day for ${dayOnlyMetrics()}. In UTC; weeks begin on Monday.`),
      startTimestamp,
      endTimestamp,
      pageToken,
      pageSize: pageSize(100, 2160),
    },
    response: object('MetricsApiResponse', { nextPageToken: optional(nextMetricsPageTokenSchema), results: list(MetricsPointSchema) }),
    cachePolicy: 'block-and-second',
    run: async (served, { chainId, metric: name, timeInterval, startTimestamp: from, endTimestamp: to, pageSize: limit }, { paging }) => {
      const chain = requireMetricsChain(served, chainId);
      const metric: Metric = metrics[name];
      if (!metric.units.includes(timeInterval))
        throw invalidParams([`timeInterval must be ${metric.units.join(', ')} for ${name}, not ${timeInterval}`]);
      const { seriesCache = noSeriesCache } = served;
      const period = await readPeriod(chain, served.now(), seriesCache);
      const page = seriesPage(timeInterval, period, { from, to, after: paging.cursor?.after, limit });
      const token = nextTokenAfter(period, page, paging);
      const points = await readSeriesJson(chain, name, page, period, 'v2', seriesCache);
      return renderedJson(`{${token === undefined ? '' : `"nextPageToken":"${token}",`}"results":[${points}]}`);
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v2/chains/{chainId}/rollingWindowMetrics/{metric}',
    id: 'getChainRollingWindowMetrics',
    tag: 'Chain metrics',
    summary: 'A metric of a chain over windows that end now',
    description: `The last hour, day, 7, 30, 90 and 365 days, exact to the second, and all time.\n\n${meanings}`,
    params: { chainId: chainParam, metric: metricParam },
    response: object('RollingWindowMetricsApiResponse', {
      result: object('RollingWindowMetrics', Object.fromEntries(Object.keys(rollingWindows).map((name) => [name, number()]))),
    }),
    cachePolicy: 'block-and-second',
    run: async (served, { chainId, metric }) => ({
      result: await readWindowValues(requireMetricsChain(served, chainId), served.now(), metrics[metric], served.seriesCache),
    }),
  }),
];

function dayOnlyMetrics(): string {
  return metricNames.filter((name) => metrics[name].units.length === 1).join(', ');
}
