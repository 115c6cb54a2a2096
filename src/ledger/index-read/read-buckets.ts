import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { memoize } from '../../base/cache/memoize.ts';
import { bucketStart, hourStart } from '../index/bucket-start.ts';
import { decodeOpenBuckets, minuteStart, type OpenBuckets, tpsRate } from '../index/open-buckets.ts';
import { sumFromBytes } from '../index/output-amount.ts';
import { type ActiveLength, type BucketUnit, bucketUnits, type IndexTables } from '../index/tables.ts';
import type { TimeBucket } from '../index/time-bucket.ts';
import { feesFromBytes } from '../state/block-row.ts';
import type { Tables } from '../state/schema.ts';
import { fetchRows, type Queries, runAllTogether, runTogether } from '../store/queries.ts';
import type { PinnedBlock, Totals } from './index-reads.ts';
import type { SingleRead } from './read-runner.ts';

type BucketReads = {
  /** `tip`: the last indexed block if it is known. */
  readonly buckets: (range: BucketRange, limit: number, tip: PinnedBlock | undefined) => SingleRead<TimeBucket[]>;
  readonly totals: <T extends keyof Totals>(metric: T, times: readonly number[]) => Queries<Totals[T][]>;
  readonly addressesBefore: (time: number) => Queries<number>;
};

type BucketRange = { readonly unit: BucketUnit; readonly from: number; readonly to: number };

/** What is counted as of one block: its height, its open buckets, and the start of the first hour that is over. */
type Counted = { readonly height: number; readonly open: OpenBuckets | undefined; readonly firstHour: number | undefined };

const countColumns = 'txs, blocks, active, senders, addresses, fees, max_tps, last';

/**
 * Queries of time buckets. Counts of several statements agree without a check for new blocks: what is open is read first, and of what the other
 * statements find, everything that was still open or came later is left out. Rows of buckets that are over never change.
 */
export function createBucketReads(t: Tables & IndexTables, chainID: Id): BucketReads {
  const chain = idToBytes(chainID);
  const finished = `SELECT start, ${countColumns} FROM ${t.span} WHERE unit = ? AND start >= ? AND start < ? ORDER BY start DESC LIMIT ? + 0`;
  // One statement reads the buckets that are over and those of the last block: a bucket may end between two statements.
  const withOpen = `SELECT f.*, NULL AS open_buckets FROM (${finished}) f
    UNION ALL SELECT 0, 0, 0, 0, 0, 0, NULL, 0, 0, (SELECT open_buckets FROM progress WHERE chain = ?)`;
  const { readCounted, countsIn } = createCountReads(t, chain);
  const firstIn = `SELECT count(*) AS n FROM ${t.holder} WHERE first >= ? AND first < ?`;

  const bucketsIn: BucketReads['buckets'] = ({ unit, from, to }, limit, tip) => {
    const values = [bucketUnits[unit], from, to, limit];
    if (tip !== undefined && to <= bucketStart(unit, tip.time))
      return { query: { text: finished, values }, resultOf: (rows) => (rows as readonly BucketRow[]).map(entryOf) };
    const resultOf = (rows: readonly unknown[]): TimeBucket[] => {
      const found = rows as readonly (BucketRow & { readonly open_buckets: string | null })[];
      const last = decodeOpenBuckets(found.find(({ fees }) => fees === null)?.open_buckets)?.buckets[unit];
      // On Citus a bucket that is over may be visible a moment before the row of the open ones changes.
      const older = found.filter(({ start, fees }) => fees !== null && (last === undefined || start < last.start)).map(entryOf);
      return last === undefined || !isWithin(last, from, to) ? older : [{ start: last.start, ...last.counts }, ...older].slice(0, limit);
    };
    return { query: { text: withOpen, values: [...values, chain] }, resultOf };
  };

  /** Numbers of addresses that were first seen in each of the ranges. */
  function* countFirstSeen(ranges: readonly { readonly from: number; readonly to: number }[]): Queries<number[]> {
    const counted = yield* readCounted();
    // No block is later than the last one: buckets that are cut at the end would be counted by rows, which may be those of later blocks.
    const end = counted.open?.second.time ?? noEnd;
    return yield* runAllTogether(ranges.map(({ from, to }) => countFirstSeenIn(from, to > end ? noEnd : to, counted)));
  }

  function* countFirstSeenIn(from: number, to: number, counted: Counted): Queries<number> {
    const { firstHour } = counted;
    // Genesis addresses are in no time bucket: they are counted one by one, with those of the first hour.
    const singlyUntil = Math.max(from, Math.min(to, firstHour === undefined ? to : firstHour + 3600));
    const firstFullHour = Math.min(to, nextHour(singlyUntil));
    const lastHour = Math.max(firstFullHour, hourStart(to));
    const singly = [
      { text: firstIn, values: [from, firstFullHour] },
      { text: firstIn, values: [lastHour, to] },
    ].filter(({ values: [start, end] }) => start !== end);
    const covering = splitIntoUnits(firstFullHour, lastHour).map((range) => countsIn(range, counted));
    const [rows, buckets] = yield* runTogether(fetchRows<{ n: number }>(singly), runAllTogether(covering));
    return rows.reduce((sum, { n }) => sum + n, 0) + buckets.flat().reduce((sum, { addresses }) => sum + addresses, 0);
  }

  /** All counts since a time: from the time buckets and, for the part of an hour at the beginning, from minutes and seconds. */
  function* countsSince(from: number, counted: Counted): Queries<TimeBucket[]> {
    const [hour, minute] = [nextHour(from), nextMinute(from)];
    const ranges: CountRange[] = [
      { unit: 'second', from, to: minute },
      { unit: 'minute', from: minute, to: hour },
      ...splitIntoUnits(hour, noEnd),
    ];
    return (yield* runAllTogether(ranges.map((range) => countsIn(range, counted)))).flat();
  }

  const totalSince = <V>(sum: (all: readonly Countable[]) => V) =>
    function* (froms: readonly number[]): Queries<V[]> {
      const counted = yield* readCounted();
      return (yield* runAllTogether(froms.map((from) => countsSince(from, counted)))).map(sum);
    };

  const totalsByMetric: { readonly [T in keyof Totals]: (froms: readonly number[]) => Queries<Totals[T][]> } = {
    txs: totalSince((all) => all.reduce((sum, { txs }) => sum + txs, 0)),
    fees: totalSince((all) => all.reduce((sum, { fees }) => sum + fees, 0n)),
    maxTps: totalSince((all) => all.reduce((most, { maxTps }) => Math.max(most, maxTps), 0)),
    activeAddresses: activeSince(t, 'seen'),
    activeSenders: activeSince(t, 'sent'),
    newAddresses: (froms) => countFirstSeen(froms.map((from) => ({ from, to: noEnd }))),
  };

  return {
    buckets: bucketsIn,
    totals: function* <T extends keyof Totals>(metric: T, times: readonly number[]): Queries<Totals[T][]> {
      // In the table 0 means never, so the earliest time counted is 1.
      const froms = metric === 'newAddresses' ? times : times.map((time) => Math.max(time, 1));
      return yield* (totalsByMetric[metric] as (froms: readonly number[]) => Queries<Totals[T][]>)(froms);
    },
    addressesBefore: function* (time) {
      const [count] = yield* countFirstSeen([{ from: 0, to: time }]);
      return count ?? 0;
    },
  };
}

/** Reads counts as of one block. */
function createCountReads(t: Tables & IndexTables, chain: Uint8Array) {
  const countedText = `SELECT height, open_buckets, (SELECT min(start) FROM ${t.span} WHERE unit = ${bucketUnits.hour}) AS first_hour
    FROM progress WHERE chain = ?`;
  // Block 0 is in no bucket.
  const lastTimeBefore = `SELECT b.time FROM ${t.block} b WHERE b.time < ? AND b.height > 0 ORDER BY b.time DESC, b.height DESC LIMIT 1`;
  // One text for ranges of all units: PostgreSQL reads any number of them with one statement (cluster/postgres/statement-joiner.ts).
  const rangeText = `SELECT start, ${countColumns} FROM ${t.span} WHERE unit = ? AND start >= ? AND start < ?
    UNION ALL SELECT start, txs, 0, 0, 0, 0, fees, max_tps, 0 FROM ${t.minute} WHERE ? = ${rangeUnits.minute} AND start >= ? AND start < ?
    UNION ALL SELECT time, tx_count, 0, 0, 0, 0, fees, 0, coalesce((${lastTimeBefore}), 0) FROM ${t.block}
      WHERE ? = ${rangeUnits.second} AND time >= ? AND time < ? AND height > 0 AND height <= ?`;

  function* readCounted(): Queries<Counted> {
    const [row] = yield* fetchRows<CountedRow>([{ text: countedText, values: [chain] }]);
    const open = decodeOpenBuckets(row?.open_buckets);
    return { height: row?.height ?? 0, open, firstHour: row?.first_hour ?? open?.buckets.hour.start };
  }

  /** The counts of a range, whose bounds are whole buckets of its unit. */
  function* countsIn({ unit, from, to }: CountRange, { height, open }: Counted): Queries<TimeBucket[]> {
    if (from === to) return [];
    const number = rangeUnits[unit];
    const values = [number, from, to, number, from, to, from, number, from, to, height];
    const rows = yield* fetchRows<BucketRow>([{ text: rangeText, values }]);
    if (unit === 'second') return secondsOf(rows);
    const last = open === undefined ? undefined : openBucketOf(open, unit);
    const older = rows.filter(({ start }) => last === undefined || start < last.start).map(entryOf);
    return last !== undefined && isWithin(last, from, to) ? [...older, last] : older;
  }

  return { readCounted, countsIn };
}

/**
 * Number of addresses that were active since each of the times, which are in descending order: sums of days, of the hours of the day that a
 * time is in, and of the seconds of its hour. All is counted in one statement, so that an address that becomes active meanwhile is not
 * missed.
 */
function activeSince(t: IndexTables, column: 'seen' | 'sent') {
  const sumOf = (length: ActiveLength) =>
    `(SELECT CAST(coalesce(sum(${column}), 0) AS BIGINT) FROM ${t.active} WHERE length = ${length} AND start >= ? AND start < ?)`;
  const counts = memoize((windows: number) =>
    Array.from({ length: windows }, (_, i) => `${sumOf(1)} + ${sumOf(3600)} AS part${i}, ${sumOf(86_400)} AS days${i}`).join(', '),
  );
  return function* (froms: readonly number[]): Queries<number[]> {
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
}

/** Start of the first hour that begins at or after a time. */
const nextHour = (time: number): number => (hourStart(time) === time ? time : hourStart(time) + 3600);

const nextMinute = (time: number): number => (minuteStart(time) === time ? time : minuteStart(time) + 60);

/** Units of ranges that are counted: those of the table `span`, and the finer ones. */
const rangeUnits = { ...bucketUnits, minute: 4, second: 5 } as const;

type CountRange = { readonly unit: keyof typeof rangeUnits; readonly from: number; readonly to: number };

function openBucketOf({ buckets, minute }: OpenBuckets, unit: BucketUnit | 'minute'): TimeBucket {
  if (unit === 'minute') return { ...noCounts, ...minute };
  return { start: buckets[unit].start, ...buckets[unit].counts };
}

const noCounts = { blocks: 0, active: 0, senders: 0, addresses: 0, last: 0 } as const;

/** The seconds of blocks: `start` is the time of a block, `last` that of the block before the first of them, or 0. */
function secondsOf(blocks: readonly BucketRow[]): TimeBucket[] {
  const sorted = blocks.toSorted((a, b) => a.start - b.start);
  let previousTime = sorted[0]?.last || undefined;
  const seconds: TimeBucket[] = [];
  for (const [start, rows] of Map.groupBy(sorted, ({ start }) => start)) {
    const txs = rows.reduce((sum, row) => sum + row.txs, 0);
    const fees = rows.reduce((sum, row) => sum + feesFromBytes(row.fees), 0n);
    seconds.push({ ...noCounts, start, txs, fees, maxTps: tpsRate({ time: start, txs, previousTime }) });
    previousTime = start;
  }
  return seconds;
}

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
type CountedRow = { readonly height: number; readonly open_buckets: string | null; readonly first_hour: number | null };

const entryOf = ({ start, txs, blocks, active, senders, addresses, fees, max_tps, last }: BucketRow): TimeBucket => {
  return { start, txs, blocks, active, senders, addresses, fees: sumFromBytes(fees), maxTps: max_tps, last };
};
