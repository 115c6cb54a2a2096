import type { IndexReads } from '../index-read/index-reads.ts';
import type { Metric, Value } from './metric.ts';
import { eraOf, secondsPerDay } from './series.ts';

/** Windows that end now, by their length in seconds, shortest first. */
export const windows = {
  lastHour: 3600,
  lastDay: secondsPerDay,
  lastWeek: 7 * secondsPerDay,
  lastMonth: 30 * secondsPerDay,
  last90Days: 90 * secondsPerDay,
  lastYear: 365 * secondsPerDay,
  allTime: Number.POSITIVE_INFINITY,
} as const;

export type WindowValues = { readonly [W in keyof typeof windows]: Value };

/**
 * A window of an hour is the running second and the 3,599 before it. Nobody did anything at second 0: what the genesis gave out is no activity.
 */
export async function windowValues(reads: IndexReads, now: number, metric: Metric): Promise<WindowValues> {
  const era = await eraOf(reads, now);
  const age = era.first === undefined ? 1 : era.now - era.first + 1;
  const { of, over = (total) => total } = metric.window;
  const lengths = Object.values(windows);
  const totals: readonly Value[] = await reads.totals(
    of,
    lengths.map((seconds) => Math.max(1, era.now - seconds + 1)),
  );
  const secondsOf = (length: number): number => (Number.isFinite(length) ? length : age);
  const values = totals.map((total, i) => over(total, secondsOf(lengths[i] as number)));
  return Object.fromEntries(Object.keys(windows).map((name, i) => [name, values[i]])) as WindowValues;
}
