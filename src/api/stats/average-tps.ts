import { averageTpsRows } from '../contract/metrics-routes.ts';
import { renderedJson } from '../rest/rendered-json.ts';
import { implementRoutes } from '../rest/route.ts';
import { requireMetricsChain } from './chain.ts';
import { nextTokenAfter, readPeriod, seriesPage } from './series.ts';
import { noSeriesCache, type StatsDeps } from './series-cache.ts';
import { readSeriesJson } from './series-json.ts';

export const averageTpsRoutes = implementRoutes<StatsDeps>()(averageTpsRows, {
  getAverageTps: async (served, { chainId }, { paging }) => {
    const chain = requireMetricsChain(served, chainId);
    const { seriesCache = noSeriesCache } = served;
    const period = await readPeriod(chain, served.now(), seriesCache);
    const page = seriesPage('day', period, { from: undefined, to: undefined, after: paging.cursor?.after, limit: daysPerPage });
    const points = await readSeriesJson(chain, 'avgTps', page, period, 'v1', seriesCache);
    const lastRun = chain.status() === 'OK' ? period.now : period.tip.time;
    const token = nextTokenAfter(period, page, paging);
    return renderedJson(
      `{"results":[${points}],"status":200,"lastRun":${lastRun}${token === undefined ? '' : `,"nextPageToken":"${token}"`}}`,
    );
  },
});

const daysPerPage = 100;
