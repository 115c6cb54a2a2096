import type { windowNames } from '../contract/metrics.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import type { Metric, MetricValue } from './metric.ts';
import { readPeriod, secondsPerDay } from './series.ts';
import { noSeriesCache, type SeriesCache } from './series-cache.ts';

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
