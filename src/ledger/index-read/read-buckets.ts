import { bucketStart, hourStart } from '../index/bucket-start.ts';
import { sumFromBytes } from '../index/output-amount.ts';
import { fetchRowGroups, fetchRows, type Query, type Steps } from '../index/steps.ts';
import { type BucketUnit, bucketUnits, type IndexTables } from '../index/tables.ts';
import type { TimeBucket } from '../index/time-bucket.ts';
import type { Totals } from './index-reads.ts';
import type { SingleRead } from './read-run.ts';

type BucketReads = {
  readonly buckets: (unit: BucketUnit, from: number, to: number, limit: number) => SingleRead<TimeBucket[]>;
  readonly lastBucketBefore: (unit: BucketUnit, before: number) => SingleRead<TimeBucket | undefined>;
  readonly totals: <T extends keyof Totals>(metric: T, times: readonly number[]) => Steps<Totals[T][]>;
  readonly addressesBefore: (time: number) => Steps<number>;
};

export function createBucketReads(t: IndexTables): BucketReads {
  const columns = `SELECT start, txs, blocks, active, senders, addresses, fees, max_tps, last FROM ${t.span} WHERE unit = ?`;
  const newestFirst = `${columns} AND start >= ? AND start < ? ORDER BY start DESC LIMIT ? + 0`;
  const firstHour = `SELECT min(start) AS start FROM ${t.span} WHERE unit = ?`;
  const secondsIn = `SELECT txs, fees, rate FROM ${t.second} WHERE time >= ? AND time < ?`;
  const firstIn = `SELECT count(*) AS n FROM ${t.holder} WHERE first >= ? AND first < ?`;
  const bucketsIn = (unit: BucketUnit, from: number, to: number, limit = noEnd): Query => ({
    text: newestFirst,
    values: [bucketUnits[unit], from, to, limit],
  });
  /** Queries for the fewest time buckets that cover a range of whole hours. */
  const coveringQueries = (from: number, to: number): Query[] =>
    splitIntoUnits(from, to).map(({ unit, from, to }) => bucketsIn(unit, from, to));

  function* countFirstSeen(from: number, to: number): Steps<number> {
    // Genesis addresses are in no time bucket: they are counted one by one, with those of the first hour.
    const [row] = yield* fetchRows<{ start: number | null }>([{ text: firstHour, values: [bucketUnits.hour] }]);
    const singlyUntil = Math.max(from, Math.min(to, row?.start == null ? to : row.start + 3600));
    const firstFullHour = Math.min(to, nextHour(singlyUntil));
    const lastHour = Math.max(firstFullHour, hourStart(to));
    const rows = yield* fetchRowGroups({
      early: [{ text: firstIn, values: [from, firstFullHour] }],
      buckets: coveringQueries(firstFullHour, lastHour),
      late: [{ text: firstIn, values: [lastHour, to] }],
    });
    return countOf(rows.early) + countOf(rows.late) + (rows.buckets as BucketRow[]).reduce((sum, { addresses }) => sum + addresses, 0);
  }

  /** Totals since each of the times, from the time buckets and, for the part of an hour at the beginning, the seconds. */
  const totalSince = <V>(sum: (all: readonly Countable[]) => V) =>
    function* (froms: readonly number[]): Steps<V[]> {
      const values: V[] = [];
      for (const from of froms) {
        const next = nextHour(from);
        const rows = yield* fetchRowGroups({ buckets: coveringQueries(next, noEnd), seconds: [{ text: secondsIn, values: [from, next] }] });
        const seconds = (rows.seconds as SecondRow[]).map(({ txs, fees, rate }) => ({ txs, fees: sumFromBytes(fees), maxTps: rate }));
        values.push(sum([...(rows.buckets as BucketRow[]).map(entryOf), ...seconds]));
      }
      return values;
    };

  /**
   * Number of addresses that were active since each of the times. Only the last activity of an address is stored, so each address is counted
   * once, in the range between two consecutive times, and the counts are added up. All ranges are counted in one statement, so that an
   * address that becomes active meanwhile is not missed. Whole hours have their counts in rows; only those of a part of an hour are counted.
   */
  const activeSince = (column: 'seen' | 'sent') =>
    function* (froms: readonly number[]): Steps<number[]> {
      const [hour, at] = [`${column}_hour`, column];
      const counts: string[] = [];
      const values: number[] = [];
      const count = (condition: string, ...bounds: number[]): string => {
        values.push(...bounds);
        return `(SELECT count(*) FROM ${t.holder} WHERE ${condition})`;
      };
      const countHours = (after: number, before: number): string => {
        values.push(after, before);
        return `(SELECT CAST(coalesce(sum(${at}), 0) AS BIGINT) FROM ${t.activeHour} WHERE hour > ? AND hour < ?)`;
      };
      for (const [i, from] of froms.entries()) {
        const to = froms[i - 1] ?? noEnd;
        const [first, last] = [hourStart(from), hourStart(to)];
        counts.push(
          first === last
            ? count(`${hour} = ? AND ${at} >= ? AND ${at} < ?`, first, from, to)
            : [
                countHours(first, last),
                count(`${hour} = ? AND ${at} >= ?`, first, from),
                count(`${hour} = ? AND ${at} < ?`, last, to),
              ].join(' + '),
        );
      }
      const [row] = yield* fetchRows<Record<string, number>>([
        { text: `SELECT ${counts.map((sum, i) => `${sum} AS n${i}`).join(', ')}`, values },
      ]);
      let total = 0;
      return froms.map((_, i) => {
        total += row?.[`n${i}`] ?? 0;
        return total;
      });
    };

  const totalsByMetric: { readonly [T in keyof Totals]: (froms: readonly number[]) => Steps<Totals[T][]> } = {
    txs: totalSince((all) => all.reduce((sum, { txs }) => sum + txs, 0)),
    fees: totalSince((all) => all.reduce((sum, { fees }) => sum + fees, 0n)),
    maxTps: totalSince((all) => all.reduce((most, { maxTps }) => Math.max(most, maxTps), 0)),
    activeAddresses: activeSince('seen'),
    activeSenders: activeSince('sent'),
    newAddresses: function* (froms) {
      const values: number[] = [];
      for (const from of froms) values.push(yield* countFirstSeen(from, noEnd));
      return values;
    },
  };

  return {
    buckets: (unit, from, to, limit) => ({
      query: bucketsIn(unit, from, to, limit),
      resultOf: (rows) => (rows as readonly BucketRow[]).map(entryOf),
    }),
    lastBucketBefore: (unit, before) => ({
      query: bucketsIn(unit, 0, before, 1),
      resultOf: ([row]) => (row === undefined ? undefined : entryOf(row as BucketRow)),
    }),
    totals: function* <T extends keyof Totals>(metric: T, times: readonly number[]): Steps<Totals[T][]> {
      // In the table 0 means never, so the earliest time counted is 1.
      const froms = metric === 'newAddresses' ? times : times.map((time) => Math.max(time, 1));
      return yield* (totalsByMetric[metric] as (froms: readonly number[]) => Steps<Totals[T][]>)(froms);
    },
    addressesBefore: (time) => countFirstSeen(0, time),
  };
}

/** Start of the first hour that begins at or after a time. */
const nextHour = (time: number): number => (hourStart(time) === time ? time : hourStart(time) + 3600);

/** Later than any block. */
const noEnd = 2 ** 52;

/** Splits a range of whole hours: hours to the end of the day, days to the end of the month, whole months, then days and hours again. */
function splitIntoUnits(from: number, to: number): { readonly unit: BucketUnit; readonly from: number; readonly to: number }[] {
  const parts: { unit: BucketUnit; from: number; to: number }[] = [];
  const add = (unit: BucketUnit, from: number, to: number): void => {
    if (from < to) parts.push({ unit, from, to });
  };
  const [firstDay, firstMonth] = [nextStart('day', from), nextStart('month', from)];
  const [lastDay, lastMonth] = [Math.max(firstDay, bucketStart('day', to)), Math.max(firstMonth, bucketStart('month', to))];
  add('hour', from, Math.min(firstDay, to));
  add('day', firstDay, Math.min(firstMonth, lastDay, to));
  add('month', firstMonth, Math.min(lastMonth, to));
  add('day', lastMonth, Math.min(lastDay, to));
  add('hour', lastDay, to);
  return parts;
}

/** Start of the first day or month that begins at or after a time. */
function nextStart(unit: 'day' | 'month', time: number): number {
  const start = bucketStart(unit, time);
  if (start === time) return time;
  const longest = { day: 86_400, month: 31 * 86_400 }[unit];
  return bucketStart(unit, start + longest);
}

const countOf = (rows: readonly unknown[]): number => (rows[0] as { n: number } | undefined)?.n ?? 0;

type Countable = Pick<TimeBucket, 'txs' | 'fees' | 'maxTps'>;
type BucketRow = Omit<TimeBucket, 'fees' | 'maxTps'> & { readonly fees: Uint8Array; readonly max_tps: number };
type SecondRow = { readonly txs: number; readonly fees: Uint8Array; readonly rate: number };

const entryOf = ({ fees, max_tps, ...span }: BucketRow): TimeBucket => ({ ...span, fees: sumFromBytes(fees), maxTps: max_tps });
