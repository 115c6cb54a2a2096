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
  /** Change per hour in the second half of the time: a leak grows as before, a warm-up slows down. */
  readonly latePerHour: number;
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
  const mean = average(late.map(({ value }) => value));
  const highest = late.reduce((most, { value }) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const { slope, error } = fitSlope(late);
  const length = (late.at(-1)?.seconds ?? 0) - (late[0]?.seconds ?? 0);
  const grows = slope > error && slope * length > flatShare * mean;
  return {
    name,
    unit,
    mean,
    highest,
    perHour: slope * 3600,
    uncertainty: error * 3600,
    latePerHour: fitSlope(late.slice(Math.floor(late.length / 2))).slope * 3600,
    verdict: late.length < minPoints ? 'too short' : grows ? 'growing' : 'flat',
  };
}

/** Points without which a line has no error. */
const minPoints = 3;

/** The slope of the line through points by least squares, per second, and twice its standard error. */
function fitSlope(points: readonly Point[]): { readonly slope: number; readonly error: number } {
  if (points.length < minPoints) return { slope: Number.NaN, error: Number.NaN };
  const [mean, middle] = [average(points.map(({ value }) => value)), average(points.map(({ seconds }) => seconds))];
  const squares = sum(points.map(({ seconds }) => (seconds - middle) ** 2));
  const slope = sum(points.map(({ seconds, value }) => (seconds - middle) * (value - mean))) / squares;
  const residuals = sum(points.map(({ seconds, value }) => (value - mean - slope * (seconds - middle)) ** 2));
  return { slope, error: 2 * Math.sqrt(residuals / (points.length - 2) / squares) };
}

/** A Markdown table of trends. */
export const formatTrends = (trends: readonly Trend[]): string =>
  [
    '| | mean | highest | change per hour | in the second half | verdict |',
    '|---|---|---|---|---|---|',
    ...trends.map(
      ({ name, unit, mean, highest, perHour, uncertainty, latePerHour, verdict }) =>
        `| ${name} | ${round(mean)} ${unit} | ${round(highest)} ${unit} | ${signed(perHour)} ± ${round(uncertainty)} ${unit} | ${signed(latePerHour)} ${unit} | ${verdict} |`,
    ),
  ].join('\n');

/** At most one digit after the point, and none from 100 on. */
export const round = (value: number): string =>
  (Math.abs(value) >= 100 ? Math.round(value) : Math.round(value * 10) / 10).toLocaleString('en');

const signed = (value: number): string => `${value > 0 ? '+' : ''}${round(value)}`;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const average = (values: readonly number[]): number => sum(values) / values.length;
