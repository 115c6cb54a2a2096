import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { bucketStart, hourStart } from '../index/bucket-start.ts';
import { decodeOpenBuckets, minuteStart, tpsRate } from '../index/open-buckets.ts';
import { sumFromBytes } from '../index/output-amount.ts';
import { fetchRowGroups, fetchRows, type Query, type Steps } from '../index/steps.ts';
import { type BucketUnit, bucketUnits, type IndexTables } from '../index/tables.ts';
import type { TimeBucket } from '../index/time-bucket.ts';
import { feesFromBytes } from '../state/block-row.ts';
import type { Tables } from '../state/schema.ts';
import type { Totals } from './index-reads.ts';
import { runTogether } from './merge.ts';
import type { SingleRead } from './read-run.ts';

type BucketReads = {
  readonly buckets: (unit: BucketUnit, from: number, to: number, limit: number) => SingleRead<TimeBucket[]>;
  readonly lastBucketBefore: (unit: BucketUnit, before: number) => SingleRead<TimeBucket | undefined>;
  readonly totals: <T extends keyof Totals>(metric: T, times: readonly number[]) => Steps<Totals[T][]>;
  readonly addressesBefore: (time: number) => Steps<number>;
};

export function createBucketReads(t: Tables & IndexTables, chainID: Id): BucketReads {
  const chain = idToBytes(chainID);
  const counts = 'txs, blocks, active, senders, addresses, fees, max_tps, last';
  // The buckets of the last block are in the row of `progress`. One statement reads both: a bucket may end between two.
  const open = 'SELECT open_buckets FROM progress WHERE chain = ?';
  const finished = `SELECT start, ${counts}, NULL AS open_buckets FROM ${t.span} WHERE unit = ? AND start >= ? AND start < ?
    ORDER BY start DESC LIMIT ? + 0`;
  const newestFirst = `SELECT * FROM (${finished}) f UNION ALL SELECT 0, 0, 0, 0, 0, 0, NULL, 0, 0, (${open})`;
  const firstHour = `SELECT (SELECT min(start) FROM ${t.span} WHERE unit = ${bucketUnits.hour}) AS start, (${open}) AS open_buckets`;
  const minutesIn = `SELECT txs, fees, max_tps, NULL AS open_buckets FROM ${t.minute} WHERE start >= ? AND start < ?
    UNION ALL SELECT 0, NULL, 0, (${open})`;
  // Block 0 is in no bucket. While the index catches up, blocks are stored that are not counted yet.
  const blocksIn = `SELECT time, tx_count AS txs, fees FROM ${t.block} WHERE time >= ? AND time < ? AND height > 0
    AND height <= (SELECT p.height FROM progress p WHERE p.chain = ?) ORDER BY time`;
  const lastTimeBefore = `SELECT time FROM ${t.block} WHERE time < ? AND height > 0 ORDER BY time DESC, height DESC LIMIT 1`;
  const firstIn = `SELECT count(*) AS n FROM ${t.holder} WHERE first >= ? AND first < ?`;

  const bucketsIn = (unit: BucketUnit, from: number, to: number, limit = noEnd): SingleRead<TimeBucket[]> => ({
    query: { text: newestFirst, values: [bucketUnits[unit], from, to, limit, chain] },
    resultOf: (rows) => {
      const found = rows as readonly BucketRow[];
      const last = decodeOpenBuckets(found.find(isOpenRow)?.open_buckets)?.buckets[unit];
      const older = found.filter((row) => !isOpenRow(row)).map(entryOf);
      return last === undefined || last.start < from || last.start >= to
        ? older
        : [{ start: last.start, ...last.counts }, ...older].slice(0, limit);
    },
  });

  /** The fewest time buckets that cover a range of whole hours. */
  const coveringBuckets = (from: number, to: number): Steps<TimeBucket[]> =>
    readAll(splitIntoUnits(from, to).map(({ unit, from, to }) => bucketsIn(unit, from, to)));

  function* countFirstSeen(from: number, to: number): Steps<number> {
    // Genesis addresses are in no time bucket: they are counted one by one, with those of the first hour.
    const [row] = yield* fetchRows<{ start: number | null; open_buckets: string | null }>([{ text: firstHour, values: [chain] }]);
    const first = row?.start ?? decodeOpenBuckets(row?.open_buckets)?.buckets.hour.start;
    const singlyUntil = Math.max(from, Math.min(to, first === undefined ? to : first + 3600));
    const firstFullHour = Math.min(to, nextHour(singlyUntil));
    const lastHour = Math.max(firstFullHour, hourStart(to));
    const singly: Query[] = [
      { text: firstIn, values: [from, firstFullHour] },
      { text: firstIn, values: [lastHour, to] },
    ];
    const [counted, buckets] = yield* runTogether(fetchRows<{ n: number }>(singly), coveringBuckets(firstFullHour, lastHour));
    return counted.reduce((sum, { n }) => sum + n, 0) + buckets.reduce((sum, { addresses }) => sum + addresses, 0);
  }

  /** The minutes of a range of whole minutes. */
  const minutesBetween = (from: number, to: number): SingleRead<Countable[]> => ({
    query: { text: minutesIn, values: [from, to, chain] },
    resultOf: (rows) => {
      const found = rows as readonly MinuteRow[];
      const last = decodeOpenBuckets(found.find(isOpenRow)?.open_buckets)?.minute;
      const older = found
        .filter((row) => !isOpenRow(row))
        .map(({ txs, fees, max_tps }) => ({ txs, fees: sumFromBytes(fees as Uint8Array), maxTps: max_tps }));
      return last === undefined || last.start < from || last.start >= to ? older : [last, ...older];
    },
  });

  /** The seconds of a part of a minute. */
  function* secondsIn(from: number, to: number): Steps<Countable[]> {
    if (from === to) return [];
    const rows = yield* fetchRowGroups({
      blocks: [{ text: blocksIn, values: [from, to, chain] }],
      previous: [{ text: lastTimeBefore, values: [from] }],
    });
    let previousTime = (rows.previous as { time: number }[])[0]?.time;
    const seconds: Countable[] = [];
    for (const [time, blocks] of Map.groupBy(rows.blocks as BlockRow[], ({ time }) => time)) {
      const txs = blocks.reduce((sum, block) => sum + block.txs, 0);
      const fees = blocks.reduce((sum, block) => sum + feesFromBytes(block.fees), 0n);
      seconds.push({ txs, fees, maxTps: tpsRate({ time, txs, previousTime }) });
      previousTime = time;
    }
    return seconds;
  }

  /** Totals since each of the times: from the time buckets and, for the part of an hour at the beginning, from minutes and seconds. */
  const totalSince = <V>(sum: (all: readonly Countable[]) => V) =>
    function* (froms: readonly number[]): Steps<V[]> {
      const values: V[] = [];
      for (const from of froms) {
        const [hour, minute] = [nextHour(from), nextMinute(from)];
        const early = runTogether(secondsIn(from, minute), readAll(minute === hour ? [] : [minutesBetween(minute, hour)]));
        const [buckets, [seconds, minutes]] = yield* runTogether(coveringBuckets(hour, noEnd), early);
        values.push(sum([...buckets, ...minutes, ...seconds]));
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
    buckets: bucketsIn,
    lastBucketBefore: (unit, before) => {
      const { query, resultOf } = bucketsIn(unit, 0, before, 1);
      return { query, resultOf: (rows) => resultOf(rows)[0] };
    },
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

const nextMinute = (time: number): number => (minuteStart(time) === time ? time : minuteStart(time) + 60);

/** Runs single reads at once and joins their lists. */
function* readAll<T>(reads: readonly SingleRead<readonly T[]>[]): Steps<T[]> {
  const results = yield reads.map(({ query }) => query);
  return reads.flatMap(({ resultOf }, i) => resultOf(results[i] as readonly unknown[]));
}

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

type Countable = Pick<TimeBucket, 'txs' | 'fees' | 'maxTps'>;
/** A bucket that is over, or, in a row without fees, the text of the open ones. */
type BucketRow = Omit<TimeBucket, 'fees' | 'maxTps'> & {
  readonly fees: Uint8Array | null;
  readonly max_tps: number;
  readonly open_buckets: string | null;
};
type MinuteRow = Pick<BucketRow, 'txs' | 'fees' | 'max_tps' | 'open_buckets'>;
type BlockRow = { readonly time: number; readonly txs: number; readonly fees: Uint8Array };

const isOpenRow = ({ fees }: Pick<BucketRow, 'fees'>): boolean => fees === null;

const entryOf = ({ fees, max_tps, open_buckets: _, ...span }: BucketRow): TimeBucket => ({
  ...span,
  fees: sumFromBytes(fees as Uint8Array),
  maxTps: max_tps,
});
