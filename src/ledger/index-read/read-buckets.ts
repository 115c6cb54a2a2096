import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { memoize } from '../../base/cache/memoize.ts';
import { bucketStart, hourStart } from '../index/bucket-start.ts';
import { decodeOpenBuckets, minuteStart, type OpenBuckets, tpsRate } from '../index/open-buckets.ts';
import { sumFromBytes } from '../index/output-amount.ts';
import { fetchRows, type Query, type Steps } from '../index/steps.ts';
import { type ActiveLength, type BucketUnit, bucketUnits, type IndexTables } from '../index/tables.ts';
import type { TimeBucket } from '../index/time-bucket.ts';
import { feesFromBytes } from '../state/block-row.ts';
import type { Tables } from '../state/schema.ts';
import type { PinnedBlock, Totals } from './index-reads.ts';
import { runAllTogether, runTogether } from './merge.ts';
import type { SingleRead } from './read-run.ts';

type BucketReads = {
  /** `tip`: the last indexed block if it is known. */
  readonly buckets: (range: BucketRange, limit: number, tip: PinnedBlock | undefined) => SingleRead<TimeBucket[]>;
  readonly lastBucketBefore: (unit: BucketUnit, before: number, tip: PinnedBlock | undefined) => SingleRead<TimeBucket | undefined>;
  readonly totals: <T extends keyof Totals>(metric: T, times: readonly number[]) => Steps<Totals[T][]>;
  readonly addressesBefore: (time: number, tip: PinnedBlock | undefined) => Steps<number>;
};

type BucketRange = { readonly unit: BucketUnit; readonly from: number; readonly to: number };

export function createBucketReads(t: Tables & IndexTables, chainID: Id): BucketReads {
  const chain = idToBytes(chainID);
  const counts = 'txs, blocks, active, senders, addresses, fees, max_tps, last';
  const openText = 'SELECT open_buckets FROM progress WHERE chain = ?';
  const finished = `SELECT start, ${counts} FROM ${t.span} WHERE unit = ? AND start >= ? AND start < ? ORDER BY start DESC LIMIT ? + 0`;
  // One statement reads the buckets that are over and those of the last block: a bucket may end between two statements.
  const withOpen = `SELECT f.*, NULL AS open_buckets FROM (${finished}) f UNION ALL SELECT 0, 0, 0, 0, 0, 0, NULL, 0, 0, (${openText})`;
  const firstHour = `SELECT min(start) AS start FROM ${t.span} WHERE unit = ${bucketUnits.hour}`;
  const minutesIn = `SELECT txs, fees, max_tps FROM ${t.minute} WHERE start >= ? AND start < ?`;
  // Block 0 is in no bucket. While the index catches up, blocks are stored that are not counted yet.
  const lastTimeBefore = `SELECT b.time FROM ${t.block} b WHERE b.time < ? AND b.height > 0 ORDER BY b.time DESC, b.height DESC LIMIT 1`;
  const blocksIn = `SELECT time, tx_count AS txs, fees, (${lastTimeBefore}) AS previous FROM ${t.block}
    WHERE time >= ? AND time < ? AND height > 0 AND height <= (SELECT p.height FROM progress p WHERE p.chain = ?) ORDER BY time`;
  const firstIn = `SELECT count(*) AS n FROM ${t.holder} WHERE first >= ? AND first < ?`;

  const bucketsIn: BucketReads['buckets'] = ({ unit, from, to }, limit, tip) => {
    const values = [bucketUnits[unit], from, to, limit];
    if (tip !== undefined && to <= bucketStart(unit, tip.time))
      return { query: { text: finished, values }, resultOf: (rows) => (rows as readonly BucketRow[]).map(entryOf) };
    const resultOf = (rows: readonly unknown[]): TimeBucket[] => {
      const found = rows as readonly (BucketRow & { readonly open_buckets: string | null })[];
      const older = found.filter(({ fees }) => fees !== null).map(entryOf);
      const last = decodeOpenBuckets(found.find(({ fees }) => fees === null)?.open_buckets)?.buckets[unit];
      return last === undefined || !isWithin(last, from, to) ? older : [{ start: last.start, ...last.counts }, ...older].slice(0, limit);
    };
    return { query: { text: withOpen, values: [...values, chain] }, resultOf };
  };

  function* readOpen(): Steps<OpenBuckets | undefined> {
    const [row] = yield* fetchRows<{ open_buckets: string | null }>([{ text: openText, values: [chain] }]);
    return decodeOpenBuckets(row?.open_buckets);
  }

  /** The fewest time buckets that cover a range of whole hours; those of the last block are added when they are known. */
  function* coveringBuckets(from: number, to: number): Steps<WithOpen<TimeBucket>> {
    const parts = splitIntoUnits(from, to);
    const rows = yield* fetchRows<BucketRow>(
      parts.map(({ unit, from, to }) => ({ text: finished, values: [bucketUnits[unit], from, to, noEnd] })),
    );
    return (open) => {
      const added = parts.flatMap(({ unit, from, to }) => {
        const last = open?.buckets[unit];
        return last !== undefined && isWithin(last, from, to) ? [{ start: last.start, ...last.counts }] : [];
      });
      return [...rows.map(entryOf), ...added];
    };
  }

  /** Numbers of addresses that were first seen in each of the ranges. */
  function* countFirstSeen(
    ranges: readonly { readonly from: number; readonly to: number }[],
    tip: PinnedBlock | undefined,
  ): Steps<number[]> {
    const needsOpen = tip === undefined || ranges.some(({ to }) => hourStart(to) > hourStart(tip.time));
    const firstHours = fetchRows<{ start: number | null }>([{ text: firstHour, values: [] }]);
    const [[row], open] = needsOpen ? yield* runTogether(firstHours, readOpen()) : [yield* firstHours, undefined];
    const first = row?.start ?? open?.buckets.hour.start;
    return yield* runAllTogether(ranges.map(({ from, to }) => countFirstSeenIn(from, to, first, open)));
  }

  function* countFirstSeenIn(from: number, to: number, first: number | undefined, open: OpenBuckets | undefined): Steps<number> {
    // Genesis addresses are in no time bucket: they are counted one by one, with those of the first hour.
    const singlyUntil = Math.max(from, Math.min(to, first === undefined ? to : first + 3600));
    const firstFullHour = Math.min(to, nextHour(singlyUntil));
    const lastHour = Math.max(firstFullHour, hourStart(to));
    const singly: Query[] = [
      { text: firstIn, values: [from, firstFullHour] },
      { text: firstIn, values: [lastHour, to] },
    ];
    const [counted, buckets] = yield* runTogether(fetchRows<{ n: number }>(singly), coveringBuckets(firstFullHour, lastHour));
    return counted.reduce((sum, { n }) => sum + n, 0) + buckets(open).reduce((sum, { addresses }) => sum + addresses, 0);
  }

  /** The minutes of a range of whole minutes. */
  function* minutesBetween(from: number, to: number): Steps<WithOpen<Countable>> {
    const rows = yield* fetchRows<MinuteRow>(from === to ? [] : [{ text: minutesIn, values: [from, to] }]);
    const older = rows.map(({ txs, fees, max_tps }) => ({ txs, fees: sumFromBytes(fees), maxTps: max_tps }));
    return (open) => (open !== undefined && isWithin(open.minute, from, to) ? [open.minute, ...older] : older);
  }

  /** The seconds of a part of a minute. */
  function* secondsIn(from: number, to: number): Steps<Countable[]> {
    if (from === to) return [];
    const rows = yield* fetchRows<BlockRow>([{ text: blocksIn, values: [from, from, to, chain] }]);
    let previousTime = rows[0]?.previous ?? undefined;
    const seconds: Countable[] = [];
    for (const [time, blocks] of Map.groupBy(rows, ({ time }) => time)) {
      const txs = blocks.reduce((sum, block) => sum + block.txs, 0);
      const fees = blocks.reduce((sum, block) => sum + feesFromBytes(block.fees), 0n);
      seconds.push({ txs, fees, maxTps: tpsRate({ time, txs, previousTime }) });
      previousTime = time;
    }
    return seconds;
  }

  /** All counts since a time: from the time buckets and, for the part of an hour at the beginning, from minutes and seconds. */
  function* countsSince(from: number): Steps<WithOpen<Countable>> {
    const [hour, minute] = [nextHour(from), nextMinute(from)];
    const early = runTogether(secondsIn(from, minute), minutesBetween(minute, hour));
    const [buckets, [seconds, minutes]] = yield* runTogether(coveringBuckets(hour, noEnd), early);
    return (open) => [...buckets(open), ...minutes(open), ...seconds];
  }

  const totalSince = <V>(sum: (all: readonly Countable[]) => V) =>
    function* (froms: readonly number[]): Steps<V[]> {
      const [open, counts] = yield* runTogether(readOpen(), runAllTogether(froms.map(countsSince)));
      return counts.map((all) => sum(all(open)));
    };

  /**
   * Number of addresses that were active since each of the times, which are in descending order: sums of days, of the hours of the day that a
   * time is in, and of the seconds of its hour. All is counted in one statement, so that an address that becomes active meanwhile is not
   * missed.
   */
  const activeSince = (column: 'seen' | 'sent') => {
    const sumOf = (length: ActiveLength) =>
      `(SELECT CAST(coalesce(sum(${column}), 0) AS BIGINT) FROM ${t.active} WHERE length = ${length} AND start >= ? AND start < ?)`;
    const counts = memoize((windows: number) =>
      Array.from({ length: windows }, (_, i) => `${sumOf(1)} + ${sumOf(3600)} AS part${i}, ${sumOf(86_400)} AS days${i}`).join(', '),
    );
    return function* (froms: readonly number[]): Steps<number[]> {
      const values: number[] = [];
      let lastDay = noEnd;
      for (const from of froms) {
        const hour = nextHour(from);
        const day = nextStart('day', hour);
        values.push(from, hour, hour, day, day, lastDay);
        lastDay = day;
      }
      const [row] = yield* fetchRows<Record<string, number>>([{ text: `SELECT ${counts(froms.length)}`, values }]);
      let laterDays = 0;
      return froms.map((_, i) => {
        laterDays += row?.[`days${i}`] ?? 0;
        return laterDays + (row?.[`part${i}`] ?? 0);
      });
    };
  };

  const totalsByMetric: { readonly [T in keyof Totals]: (froms: readonly number[]) => Steps<Totals[T][]> } = {
    txs: totalSince((all) => all.reduce((sum, { txs }) => sum + txs, 0)),
    fees: totalSince((all) => all.reduce((sum, { fees }) => sum + fees, 0n)),
    maxTps: totalSince((all) => all.reduce((most, { maxTps }) => Math.max(most, maxTps), 0)),
    activeAddresses: activeSince('seen'),
    activeSenders: activeSince('sent'),
    newAddresses: (froms) =>
      countFirstSeen(
        froms.map((from) => ({ from, to: noEnd })),
        undefined,
      ),
  };

  return {
    buckets: bucketsIn,
    lastBucketBefore: (unit, before, tip) => {
      const { query, resultOf } = bucketsIn({ unit, from: 0, to: before }, 1, tip);
      return { query, resultOf: (rows) => resultOf(rows)[0] };
    },
    totals: function* <T extends keyof Totals>(metric: T, times: readonly number[]): Steps<Totals[T][]> {
      // In the table 0 means never, so the earliest time counted is 1.
      const froms = metric === 'newAddresses' ? times : times.map((time) => Math.max(time, 1));
      return yield* (totalsByMetric[metric] as (froms: readonly number[]) => Steps<Totals[T][]>)(froms);
    },
    addressesBefore: function* (time, tip) {
      const [count] = yield* countFirstSeen([{ from: 0, to: time }], tip);
      return count ?? 0;
    },
  };
}

/** Start of the first hour that begins at or after a time. */
const nextHour = (time: number): number => (hourStart(time) === time ? time : hourStart(time) + 3600);

const nextMinute = (time: number): number => (minuteStart(time) === time ? time : minuteStart(time) + 60);

/** A list that the buckets of the last block belong to; they are read once for several lists. */
type WithOpen<T> = (open: OpenBuckets | undefined) => T[];

const isWithin = ({ start }: { readonly start: number }, from: number, to: number): boolean => start >= from && start < to;

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
type BucketRow = Omit<TimeBucket, 'fees' | 'maxTps'> & { readonly fees: Uint8Array; readonly max_tps: number };
type MinuteRow = Pick<BucketRow, 'txs' | 'fees' | 'max_tps'>;
type BlockRow = Pick<BucketRow, 'txs' | 'fees'> & { readonly time: number; readonly previous: number | null };

const entryOf = ({ start, txs, blocks, active, senders, addresses, fees, max_tps, last }: BucketRow): TimeBucket => {
  return { start, txs, blocks, active, senders, addresses, fees: sumFromBytes(fees), maxTps: max_tps, last };
};
