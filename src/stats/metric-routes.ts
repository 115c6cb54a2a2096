import type { Param } from '../api/param.ts';
import { choice, endTimestamp, pageSize, pageToken, pathChoice, startTimestamp } from '../api/params.ts';
import { invalid, refuse } from '../api/refusal.ts';
import { type Route, route } from '../api/route.ts';
import { list, number, object, optional } from '../api/schema.ts';
import type { Served } from '../api/served.ts';
import { shown } from '../api/shown-value.ts';
import { unitNames } from '../index/calendar.ts';
import { chainNamed, chainParam } from './chain.ts';
import { foreignMetrics, type Metric, type MetricName, metricNames, metrics } from './metric.ts';
import { MetricsPoint, nextPageToken, tokenAfter } from './points.ts';
import { eraOf, pageOf, spansOf } from './series.ts';
import { windows, windowValues } from './windows.ts';

const row = route<Served>();

const meanings = metricNames.map((name) => `${name}: ${metrics[name].meaning}`).join('\n\n');

const metricParam: Param<MetricName> = {
  ...pathChoice(metricNames, { example: 'txCount' }),
  read: ([text = ''], name) => {
    const found = metricNames.find((one) => one === text);
    if (found !== undefined) return found;
    const missing = foreignMetrics.get(text);
    const served = `${name} must be one of the following values: ${metricNames.join(', ')}`;
    throw refuse(
      400,
      missing === undefined ? served : `${name} ${shown(text)} makes no sense here, AVM chains have no ${missing}; ${served}`,
    );
  },
};

export const metricRoutes: readonly Route<Served>[] = [
  row({
    method: 'GET',
    path: '/v2/chains/{chainId}/metrics/{metric}',
    id: 'getChainMetrics',
    tag: 'Chain metrics',
    summary: 'A metric of a chain over time',
    description: `Newest first, from block 1 on. A value covers the hour, day, week or month that begins at its timestamp: the newest may still change. Without blocks it is 0; what is cumulative stays as it was.\n\n${meanings}`,
    params: {
      chainId: chainParam,
      metric: metricParam,
      timeInterval: choice(unitNames, 'day', `Only day for ${dayOnly()}. In UTC; weeks begin on Monday.`),
      startTimestamp,
      endTimestamp,
      pageToken,
      pageSize: pageSize(100, 2160),
    },
    response: object('MetricsApiResponse', { nextPageToken: optional(nextPageToken), results: list(MetricsPoint) }),
    keep: 'tip',
    run: async (served, { chainId, metric: name, timeInterval, startTimestamp: from, endTimestamp: to, pageSize: limit }, { pages }) => {
      const { reads } = chainNamed(served, chainId);
      const metric: Metric = metrics[name];
      if (!metric.units.includes(timeInterval))
        throw invalid([`timeInterval must be ${metric.units.join(', ')} for ${name}, not ${timeInterval}`]);
      const era = await eraOf(reads, served.now());
      const page = pageOf(timeInterval, era, { from, to, after: pages.asked?.after, limit });
      const values = await metric.series({ reads, page, spans: await spansOf(reads, page) });
      return {
        nextPageToken: tokenAfter(era, page, pages),
        results: page.starts.map((timestamp, at) => ({ value: values[at], timestamp })),
      };
    },
  }),
  row({
    method: 'GET',
    path: '/v2/chains/{chainId}/rollingWindowMetrics/{metric}',
    id: 'getChainRollingWindowMetrics',
    tag: 'Chain metrics',
    summary: 'A metric of a chain over windows that end now',
    description: `The last hour, day, 7, 30, 90 and 365 days, exact to the second, and all time.\n\n${meanings}`,
    params: { chainId: chainParam, metric: metricParam },
    response: object('RollingWindowMetricsApiResponse', {
      result: object('RollingWindowMetrics', Object.fromEntries(Object.keys(windows).map((name) => [name, number()]))),
    }),
    keep: 'tip',
    run: async (served, { chainId, metric }) => ({
      result: await windowValues(chainNamed(served, chainId).reads, served.now(), metrics[metric]),
    }),
  }),
];

function dayOnly(): string {
  return metricNames.filter((name) => metrics[name].units.length === 1).join(', ');
}
