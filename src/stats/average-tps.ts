import { pageToken } from '../api/params.ts';
import { route } from '../api/route.ts';
import { integer, list, object, optional } from '../api/schema.ts';
import type { Served } from '../api/served.ts';
import { chainNamed, chainParam } from './chain.ts';
import { MetricsPoint, nextPageToken, tokenAfter } from './points.ts';
import { eraOf, pageOf, secondsPerDay, spansOf } from './series.ts';

export const averageTpsRoute = route<Served>()({
  method: 'GET',
  path: '/v1/avg_tps/{chainId}',
  id: 'getAverageTps',
  tag: 'Chain metrics',
  summary: 'Average transactions per second, day by day',
  description:
    'Days are those of UTC, newest first, from the day of block 1 until today; days without blocks are 0. A chain without a block 1 has no results yet.',
  params: { chainId: chainParam, pageToken },
  response: object('AverageTps', {
    results: list(
      MetricsPoint,
      'value: accepted transactions of the day over the seconds of the day, of today over those that have passed.',
    ),
    status: integer('Always 200.'),
    lastRun: integer('When the series last changed: time of the last block, in Unix seconds.'),
    nextPageToken: optional(nextPageToken),
  }),
  keep: 'tip',
  run: async (served, { chainId }, { pages }) => {
    const { reads } = chainNamed(served, chainId);
    const era = await eraOf(reads, served.now());
    const page = pageOf('day', era, { from: undefined, to: undefined, after: pages.asked?.after, limit: daysPerPage });
    const spans = await spansOf(reads, page);
    const averageOf = (start: number) => (spans.get(start)?.txs ?? 0) / Math.min(secondsPerDay, Math.max(1, era.now - start));
    return {
      results: page.starts.map((timestamp) => ({ timestamp, value: averageOf(timestamp) })),
      status: 200,
      lastRun: era.tip.time,
      nextPageToken: tokenAfter(era, page, pages),
    };
  },
});

const daysPerPage = 100;
