import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { type IndexTables, txKinds } from '../index/tables.ts';
import { createRunReads, type TransferRun } from '../index/transfer-runs.ts';
import { fetchRows, type Queries, runAllTogether } from '../store/queries.ts';
import type { PinnedBlock } from './index-reads.ts';
import type { BlockReads } from './read-blocks.ts';

/** `days`: their starts in Unix seconds, in the order in which they are counted. */
export type AssetDaysQuery = {
  readonly asset: Id;
  readonly days: readonly number[];
  readonly pin: PinnedBlock;
  /** Rows that are counted at most, so that a busy asset does not keep the database busy. */
  readonly maxRows: number;
};

export const daySeconds = 86_400;

/** Rows of one query: a few milliseconds. A long run pauses between queries. */
const rowsPerQuery = 20_000;

/** Days that one statement counts, and the rows of a kind that it counts at most for each. Days with more are counted one by one. */
const daysPerStatement = 16;
const rowsPerDay = 500;

/** Days with more rows that are counted at the same time: on PostgreSQL with one statement, which must not take long. */
const daysPerRecount = 64;

/** The transactions of a day: those after `low` and before `high`. */
type DayRange = { readonly low: number; readonly high: number };

/**
 * Counts the transactions of an asset by day. There is no table of such counts: the rows of the history are counted. Transfers of the fee
 * asset have no rows but runs, whose lengths are added up; they do not count against `maxRows`.
 */
export function createAssetDayReads(t: IndexTables, blocks: Pick<BlockReads, 'lastTxsBefore'>, feeAsset: Id) {
  const runs = createRunReads(t.history);
  const inRange = `FROM ${t.history} WHERE subject = ? AND kind = ?`;
  const countSql = `SELECT count(*) AS n, max(tx) AS last FROM (SELECT tx ${inRange} AND tx > ? AND tx < ? ORDER BY tx LIMIT ? + 0) f`;
  const countDays = (days: number): string =>
    `WITH k(n, low, high) AS (VALUES ${Array(days).fill('(CAST(? AS bigint), CAST(? AS bigint), CAST(? AS bigint))').join(', ')})
     SELECT k.n, (SELECT count(*) FROM (SELECT 1 AS one ${inRange} AND tx > k.low AND tx < k.high LIMIT ${rowsPerDay}) f) AS count FROM k`;
  const countTexts = new Map([1, daysPerStatement].map((days) => [days, countDays(days)]));

  function* dayRanges(days: readonly number[], pin: PinnedBlock): Queries<DayRange[]> {
    const ends = yield* blocks.lastTxsBefore(days.flatMap((day) => [day, day + daySeconds]));
    const endBefore = (time: number) => Math.min(pin.lastTx, ends.get(time) ?? 0);
    return days.map((day) => ({ low: endBefore(day), high: endBefore(day + daySeconds) + 1 }));
  }

  /** The rows of one kind in a day; undefined if there are more than `maxRows`. */
  function* countRange(subject: Uint8Array, kind: number, { low, high }: DayRange, maxRows: number): Queries<number | undefined> {
    let [counted, after] = [0, low];
    for (;;) {
      const [row] = yield* fetchRows<{ n: number; last: number | null }>([
        { text: countSql, values: [subject, kind, after, high, rowsPerQuery] },
      ]);
      counted += row?.n ?? 0;
      if (counted > maxRows) return undefined;
      if (row === undefined || row.n < rowsPerQuery) return counted;
      after = row.last ?? high;
    }
  }

  /** The rows of some kinds in each of the days, at most `rowsPerDay` of a kind in a day. */
  function* countRows(subject: Uint8Array, kinds: readonly number[], days: readonly DayRange[]): Queries<DayCounts[]> {
    const counts: DayCounts[] = days.map((range) => ({ range, rows: 0, full: [] }));
    const groups = Array.from({ length: Math.ceil(days.length / daysPerStatement) }, (_, i) => i * daysPerStatement);
    const asked = groups.flatMap((first) => kinds.map((kind) => ({ first, kind })));
    const results = (yield asked.map(({ first, kind }) => {
      const group = days.slice(first, first + daysPerStatement);
      const size = group.length === 1 ? 1 : daysPerStatement;
      // The last day is repeated until a length is reached for which a statement is prepared.
      const ranges = Array.from({ length: size }, (_, i) => Math.min(i, group.length - 1)).flatMap((n) => {
        const { low, high } = group[n] as DayRange;
        return [n, low, high];
      });
      return { text: countTexts.get(size) as string, values: [...ranges, subject, kind] };
    })) as readonly (readonly DayCount[])[];
    for (const [i, { first, kind }] of asked.entries())
      for (const [n, count] of new Map(results[i]?.map(({ n, count }) => [n, count]))) {
        const day = counts[first + n] as DayCounts;
        if (count === rowsPerDay) day.full.push(kind);
        else day.rows += count;
      }
    return counts;
  }

  /** Counts the kinds of some days that have many rows; undefined for a day with more than `maxRows`. */
  function* recount(subject: Uint8Array, days: readonly DayCounts[], maxRows: number): Queries<(number | undefined)[]> {
    const asked = days.flatMap(({ range, full }, day) => full.map((kind) => ({ range, kind, day })));
    const found = yield* runAllTogether(asked.map(({ range, kind }) => countRange(subject, kind, range, maxRows)));
    const sums: (number | undefined)[] = days.map(({ rows }) => rows);
    for (const [i, { day }] of asked.entries()) {
      const [sum, exact] = [sums[day], found[i]];
      sums[day] = sum === undefined || exact === undefined ? undefined : sum + exact;
    }
    return sums;
  }

  /** The number of transfers of the fee asset in each of the days. */
  function* countTransfers(subject: Uint8Array, days: readonly DayRange[]): Queries<number[]> {
    const filled = days.filter(({ low, high }) => low + 1 < high);
    const counts = days.map(() => 0);
    let low = Math.min(...filled.map((day) => day.low));
    const high = Math.max(...filled.map((day) => day.high));
    for (let isDone = filled.length === 0; !isDone; ) {
      const rows = yield* fetchRows<{ boundary: number }>([runs.query(subject, [low], [high], 'asc', rowsPerQuery)]);
      const { runs: found, isComplete } = runs.runsOf(rows, low, high, 'asc', rowsPerQuery);
      for (const [i, day] of days.entries()) for (const run of found) counts[i] = (counts[i] as number) + sharedTxs(run, day);
      low = found.at(-1)?.last ?? high;
      isDone = isComplete;
    }
    return counts;
  }

  /** The counts of the first days; the list is shorter than `days` if `maxRows` did not suffice for the others. */
  return function* assetDays({ asset, days: starts, pin, maxRows }: AssetDaysQuery): Queries<number[]> {
    const subject = idToBytes(asset);
    const isFeeAsset = asset === feeAsset;
    const kinds = Object.values(txKinds).filter((kind) => !isFeeAsset || kind !== txKinds.BaseTx);
    const ranges = yield* dayRanges(starts, pin);
    const transfers = isFeeAsset ? yield* countTransfers(subject, ranges) : undefined;
    const counts: number[] = [];
    let rest = maxRows;
    const days = yield* countRows(subject, kinds, ranges);
    for (let at = 0; at < days.length; at += daysPerRecount)
      for (const rows of yield* recount(subject, days.slice(at, at + daysPerRecount), rest)) {
        if (rows === undefined || rows > rest) return counts;
        counts.push(rows + (transfers?.[counts.length] ?? 0));
        rest -= rows;
      }
    return counts;
  };
}

const sharedTxs = ({ first, last }: TransferRun, { low, high }: DayRange): number =>
  Math.max(0, Math.min(last, high - 1) - Math.max(first, low + 1) + 1);

type DayCount = { readonly n: number; readonly count: number };

/** `full`: kinds with more rows than `rows` counts. */
type DayCounts = { readonly range: DayRange; rows: number; readonly full: number[] };
