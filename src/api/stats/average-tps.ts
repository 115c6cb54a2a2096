import { integer, list, object, optional } from '../contract/schema.ts';
import { pageToken } from '../rest/params.ts';
import { renderedJson } from '../rest/rendered-json.ts';
import { routeDefiner } from '../rest/route.ts';
import { chainParam, requireMetricsChain } from './chain.ts';
import { averageTpsMeaning } from './metric.ts';
import { MetricsPointSchema, nextMetricsPageTokenSchema, nextTokenAfter } from './points.ts';
import { readPeriod, seriesPage } from './series.ts';
import { noSeriesCache, type StatsDeps } from './series-cache.ts';
import { readSeriesJson } from './series-json.ts';

export const averageTpsRoute = routeDefiner<StatsDeps>()({
  method: 'GET',
  path: '/v1/avg_tps/{chainId}',
  id: 'getAverageTps',
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
  run: async (served, { chainId }, { paging }) => {
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
