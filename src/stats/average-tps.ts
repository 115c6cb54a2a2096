import { pageToken } from '../api/params.ts';
import { route } from '../api/route.ts';
import { integer, list, object, optional } from '../api/schema.ts';
import type { Served } from '../api/served.ts';
import { chainNamed, chainParam } from './chain.ts';
import { averageOfDays, metrics } from './metric.ts';
import { MetricsPoint, nextPageToken, tokenAfter } from './points.ts';
import { eraOf, pageOf, spansOf } from './series.ts';

export const averageTpsRoute = route<Served>()({
  method: 'GET',
  path: '/v1/avg_tps/{chainId}',
  id: 'getAverageTps',
  tag: 'Chain metrics',
  summary: 'Average transactions per second, day by day',
  description:
    'The metric avgTps of /v2 in the shape of the earlier interface. Days are those of UTC, newest first, from the day of block 1 until today; days without blocks are 0. A chain without a block 1 has no results yet.',
  params: { chainId: chainParam, pageToken },
  response: object('AverageTps', {
    results: list(MetricsPoint, `value: ${averageOfDays}`),
    status: integer('Always 200.'),
    lastRun: integer(
      'When the series was last brought up to date, in Unix seconds: now, since every answer is counted anew; the time of the last block while the followed node or the indexer does not answer.',
    ),
    nextPageToken: optional(nextPageToken),
  }),
  keep: 'tip',
  run: async (served, { chainId }, { pages }) => {
    const { reads, status } = chainNamed(served, chainId);
    const era = await eraOf(reads, served.now());
    const page = pageOf('day', era, { from: undefined, to: undefined, after: pages.asked?.after, limit: daysPerPage });
    const values = await metrics.avgTps.series({ reads, page, spans: await spansOf(reads, page) });
    return {
      results: page.starts.map((timestamp, at) => ({ timestamp, value: values[at] })),
      status: 200,
      lastRun: status() === 'OK' ? era.now : era.tip.time,
      nextPageToken: tokenAfter(era, page, pages),
    };
  },
});

const daysPerPage = 100;
