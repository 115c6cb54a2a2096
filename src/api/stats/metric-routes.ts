import { metricMeanings } from '../contract/metrics.ts';
import { metricRows } from '../contract/metrics-routes.ts';
import { invalidParams } from '../rest/api-error.ts';
import { renderedJson } from '../rest/rendered-json.ts';
import { implementRoutes } from '../rest/route.ts';
import { requireMetricsChain } from './chain.ts';
import { metrics } from './metric.ts';
import { nextTokenAfter, readPeriod, seriesPage } from './series.ts';
import { noSeriesCache, type StatsDeps } from './series-cache.ts';
import { readSeriesJson } from './series-json.ts';
import { readWindowValues } from './windows.ts';

export const metricRoutes = implementRoutes<StatsDeps>()(metricRows, {
  getChainMetrics: async (
    served,
    { chainId, metric: name, timeInterval, startTimestamp: from, endTimestamp: to, pageSize: limit },
    { paging },
  ) => {
    const chain = requireMetricsChain(served, chainId);
    const units: readonly string[] = metricMeanings[name].units;
    if (!units.includes(timeInterval)) throw invalidParams([`timeInterval must be ${units.join(', ')} for ${name}, not ${timeInterval}`]);
    const { seriesCache = noSeriesCache } = served;
    const period = await readPeriod(chain, served.now(), seriesCache);
    const page = seriesPage(timeInterval, period, { from, to, after: paging.cursor?.after, limit });
    const token = nextTokenAfter(period, page, paging);
    const points = await readSeriesJson(chain, name, page, period, 'v2', seriesCache);
    return renderedJson(`{${token === undefined ? '' : `"nextPageToken":"${token}",`}"results":[${points}]}`);
  },
  getChainRollingWindowMetrics: async (served, { chainId, metric }) => ({
    result: await readWindowValues(requireMetricsChain(served, chainId), served.now(), metrics[metric], served.seriesCache),
  }),
});
