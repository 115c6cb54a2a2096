/** Values of one quantity over time. */
export type Series = {
  readonly name: string;
  readonly unit: string;
  readonly points: readonly Point[];
  /** What the quantity may grow to, such as the budget of caches that fill slowly. */
  readonly limit?: number | undefined;
};

type Point = { readonly seconds: number; readonly value: number };

/** A line through the points after the warm-up. */
export type Trend = {
  readonly name: string;
  readonly unit: string;
  readonly mean: number;
  readonly highest: number;
  /** Change per hour. */
  readonly perHour: number;
  /** Twice the standard error of `perHour`. */
  readonly uncertainty: number;
  readonly verdict: 'flat' | 'growing' | 'too short' | 'within its limit' | 'above its limit';
};

export const isProblem = ({ verdict }: Pick<Trend, 'verdict'>): boolean => verdict === 'growing' || verdict === 'above its limit';

/** A quantity grows if the line rises by more than this part of its mean within the time that was fitted. */
const flatShare = 0.05;

/**
 * Transactions that warm a node up, however long they take: until then the heap grows to the size at which Bun collects it, SQLite's page cache
 * fills, and functions are compiled. Measured at 70 and at 95 transactions per second.
 */
export const warmUpTxs = 25_000;

/**
 * The first ten minutes, or a third of a shorter run, and not before `warmUpTxs` were accepted. `accepted`: transactions since the start. Infinite if there
 * were fewer: the whole run was a warm-up.
 */
export const warmUpSeconds = (seconds: number, accepted: readonly Point[]): number =>
  Math.max(Math.min(600, seconds / 3), accepted.find(({ value }) => value >= warmUpTxs)?.seconds ?? Number.POSITIVE_INFINITY);

/**
 * Fits a line by least squares. `growing` needs both: more than the error of the fit, and more than 5 % of the mean. What has a limit may grow up to it,
 * also during the warm-up.
 */
export function fitTrend({ name, unit, points, limit }: Series, from: number): Trend {
  const trend = fitLine({ name, unit, points }, from);
  if (limit === undefined) return trend;
  const highest = points.reduce((most, { value }) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  return { ...trend, highest, verdict: highest <= limit ? 'within its limit' : 'above its limit' };
}

function fitLine({ name, unit, points }: Series, from: number): Trend {
  const late = points.filter(({ seconds }) => seconds >= from);
  const count = late.length;
  const mean = average(late.map(({ value }) => value));
  const highest = late.reduce((most, { value }) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  if (count < 3) return { name, unit, mean, highest, perHour: Number.NaN, uncertainty: Number.NaN, verdict: 'too short' };
  const middle = average(late.map(({ seconds }) => seconds));
  const squares = sum(late.map(({ seconds }) => (seconds - middle) ** 2));
  const slope = sum(late.map(({ seconds, value }) => (seconds - middle) * (value - mean))) / squares;
  const residuals = sum(late.map(({ seconds, value }) => (value - mean - slope * (seconds - middle)) ** 2));
  const error = 2 * Math.sqrt(residuals / (count - 2) / squares);
  const length = (late.at(-1)?.seconds ?? 0) - (late[0]?.seconds ?? 0);
  const grows = slope > error && slope * length > flatShare * mean;
  return { name, unit, mean, highest, perHour: slope * 3600, uncertainty: error * 3600, verdict: grows ? 'growing' : 'flat' };
}

/** A Markdown table of trends. */
export const formatTrends = (trends: readonly Trend[]): string =>
  [
    '| | mean | highest | change per hour | verdict |',
    '|---|---|---|---|---|',
    ...trends.map(
      ({ name, unit, mean, highest, perHour, uncertainty, verdict }) =>
        `| ${name} | ${round(mean)} ${unit} | ${round(highest)} ${unit} | ${perHour > 0 ? '+' : ''}${round(perHour)} ± ${round(uncertainty)} ${unit} | ${verdict} |`,
    ),
  ].join('\n');

/** At most one digit after the point, and none from 100 on. */
export const round = (value: number): string =>
  (Math.abs(value) >= 100 ? Math.round(value) : Math.round(value * 10) / 10).toLocaleString('en');

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const average = (values: readonly number[]): number => sum(values) / values.length;
