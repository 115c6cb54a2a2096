import { metricMeanings, type windowNames } from '../contract/metrics.ts';
import { averageTpsRows, metricRows } from '../contract/metrics-routes.ts';
import { invalidParams } from '../rest/api-error.ts';
import { implementRoutes } from '../rest/route.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import { rawJson } from '../rpc/write-json.ts';
import { requireMetricsChain } from './chain.ts';
import { type Metric, type MetricValue, metrics } from './metric.ts';
import { nextTokenAfter, readPeriod, secondsPerDay, seriesPage } from './series.ts';
import { type MetricsApiDeps, noSeriesCache, type SeriesCache } from './series-cache.ts';
import { readSeriesJson } from './series-json.ts';

/** Handlers of the Metrics API: a metric as a series of time buckets, or over rolling windows. Their rows are `metricRows` in contract/metrics-routes.ts. */
export const metricRoutes = implementRoutes<MetricsApiDeps>()(metricRows, {
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
    return rawJson(`{${token === undefined ? '' : `"nextPageToken":"${token}",`}"results":[${points}]}`);
  },
  getChainRollingWindowMetrics: async (served, { chainId, metric }) => ({
    result: await readWindowValues(requireMetricsChain(served, chainId), served.now(), metrics[metric], served.seriesCache),
  }),
});

/** Lengths of the rolling windows that end now, in seconds, shortest first. */
const rollingWindows = {
  lastHour: 3600,
  lastDay: secondsPerDay,
  lastWeek: 7 * secondsPerDay,
  lastMonth: 30 * secondsPerDay,
  last90Days: 90 * secondsPerDay,
  lastYear: 365 * secondsPerDay,
  allTime: Number.POSITIVE_INFINITY,
} as const satisfies { readonly [name in (typeof windowNames)[number]]: number };

type WindowValues = { readonly [W in keyof typeof rollingWindows]: MetricValue };

/** Values of a metric over all rolling windows. A window of an hour is the current second and the 3,599 before it. Genesis is not activity. */
export async function readWindowValues(
  chain: ServedChain,
  now: number,
  metric: Metric,
  cache: SeriesCache = noSeriesCache,
): Promise<WindowValues> {
  const period = await readPeriod(chain, now, cache);
  const chainAge = period.first === undefined ? 1 : period.now - period.first + 1;
  const { total, convert = (sum) => sum } = metric.window;
  const lengths = Object.values(rollingWindows);
  const totals: readonly MetricValue[] = await chain.reads.totals(
    total,
    lengths.map((seconds) => Math.max(1, period.now - seconds + 1)),
  );
  const secondsOf = (length: number): number => (Number.isFinite(length) ? length : chainAge);
  const values = totals.map((sum, i) => convert(sum, secondsOf(lengths[i] as number)));
  return Object.fromEntries(Object.keys(rollingWindows).map((name, i) => [name, values[i]])) as WindowValues;
}

/** The average transactions per second by day, as the first version of the public API has it. */
export const averageTpsRoutes = implementRoutes<MetricsApiDeps>()(averageTpsRows, {
  getAverageTps: async (served, { chainId }, { paging }) => {
    const chain = requireMetricsChain(served, chainId);
    const { seriesCache = noSeriesCache } = served;
    const period = await readPeriod(chain, served.now(), seriesCache);
    const page = seriesPage('day', period, { from: undefined, to: undefined, after: paging.cursor?.after, limit: daysPerPage });
    const points = await readSeriesJson(chain, 'avgTps', page, period, 'v1', seriesCache);
    const lastRun = chain.status() === 'OK' ? period.now : period.tip.time;
    const token = nextTokenAfter(period, page, paging);
    return rawJson(`{"results":[${points}],"status":200,"lastRun":${lastRun}${token === undefined ? '' : `,"nextPageToken":"${token}"`}}`);
  },
});

const daysPerPage = 100;
