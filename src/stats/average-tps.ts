import { pageToken } from '../api/params.ts';
import { routeDefiner } from '../api/route.ts';
import { integer, list, object, optional } from '../api/schema.ts';
import type { ServedChains } from '../api/served-chains.ts';
import { chainParam, requireMetricsChain } from './chain.ts';
import { averageTpsMeaning, metrics } from './metric.ts';
import { MetricsPointSchema, nextMetricsPageTokenSchema, nextTokenAfter } from './points.ts';
import { readBuckets, readPeriod, seriesPage } from './series.ts';

export const averageTpsRoute = routeDefiner<ServedChains>()({
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
    const { reads, status } = requireMetricsChain(served, chainId);
    const period = await readPeriod(reads, served.now());
    const page = seriesPage('day', period, { from: undefined, to: undefined, after: paging.cursor?.after, limit: daysPerPage });
    const values = await metrics.avgTps.series({ reads, page, buckets: await readBuckets(reads, page) });
    return {
      results: page.starts.map((timestamp, i) => ({ timestamp, value: values[i] })),
      status: 200,
      lastRun: status() === 'OK' ? period.now : period.tip.time,
      nextPageToken: nextTokenAfter(period, page, paging),
    };
  },
});

const daysPerPage = 100;
