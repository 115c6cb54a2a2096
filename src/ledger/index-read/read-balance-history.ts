import { type Address, addressToBytes } from '../../base/bytes/address.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { keyLookup } from '../index/key-lookup.ts';
import { sumFromBytes } from '../index/output-amount.ts';
import { fetchRows, type Query, type Steps } from '../index/steps.ts';
import type { IndexTables } from '../index/tables.ts';
import type { Tables } from '../state/schema.ts';
import { addChange, pickSums, sumsFrom } from './balance-sums.ts';

/** `from` undefined: from the first block that changed the balance. Heights are inclusive. */
export type BalanceHistoryQuery = {
  readonly address: Address;
  readonly asset: Id;
  readonly from: number | undefined;
  readonly to: number;
  readonly maxPoints: number;
};

/** The balance after the block at `height`. */
export type BalancePoint = { readonly height: number; readonly time: number; readonly amount: bigint; readonly nfts: number };

/**
 * Points in the order of their heights; the first is the balance at the start. A point whose balance equals that of the point before it is left
 * out. If `isSampled`, there were too many changes: the points are exact, but changes between them are not listed.
 */
export type BalanceHistory = { readonly isSampled: boolean; readonly points: readonly BalancePoint[] };

/** Lock times of one asset of an address; each has rows of its own in the balance table. Of more, all rows are read. */
const maxLocktimes = 256;

/** Rows that are read of an address with more lock times: each lock time usually has two, one when it is created and one when it is spent. */
export const maxBalanceRows = 100_000;

/** Rows of one query. */
const rowsPerQuery = 1000;

/** Points of a sample times lock times: the rows that one history looks up. */
const maxLookups = 16_384;

/** Lookups of one query. They take a few milliseconds; a long run pauses between queries. */
const lookupsPerQuery = 512;

/** Reads how the sum of an address's single-owner outputs of an asset changed. */
export function createBalanceHistoryReads(t: IndexTables & Pick<Tables, 'block'>) {
  const ofKey = 'b.address = ? AND b.asset = ?';
  const firstLocktime = `SELECT b.locktime FROM ${t.balance} b WHERE ${ofKey} ORDER BY b.locktime, b.height LIMIT 1`;
  const nextLocktime = `SELECT b.locktime FROM ${t.balance} b WHERE ${ofKey} AND (b.locktime, b.height) > (k.locktime, ${Number.MAX_SAFE_INTEGER})
      ORDER BY b.locktime, b.height LIMIT 1`;
  // Skips from one lock time to the next; see read-balances.ts.
  const locktimesSql = `WITH RECURSIVE k(locktime, n) AS (SELECT f.locktime, 1 FROM (${firstLocktime}) f
      UNION ALL SELECT (${nextLocktime}), k.n + 1 FROM k WHERE k.locktime IS NOT NULL AND k.n < ? + 0)
    SELECT k.locktime FROM k WHERE k.locktime IS NOT NULL`;
  const rowOf = `${ofKey} AND b.locktime = ?`;
  const firstSql = `SELECT b.height FROM ${t.balance} b WHERE ${rowOf} ORDER BY b.height LIMIT 1`;
  const timeOf = (height: string): string => `(SELECT k.time FROM ${t.block} k WHERE k.height = ${height})`;
  const columns = 'b.height, b.amount, b.nfts';
  const startSql = `SELECT ${columns}, ${timeOf('CAST(? AS BIGINT)')} AS time FROM ${t.balance} b WHERE ${rowOf} AND b.height <= ?
    ORDER BY b.height DESC LIMIT 1`;
  const changesSql = `SELECT ${columns}, ${timeOf('b.height')} AS time FROM ${t.balance} b WHERE ${rowOf} AND b.height > ? AND b.height <= ?
    ORDER BY b.height LIMIT ?`;
  // For each of the heights from + n * span / count: the newest row at or below it.
  const sampleSql = `WITH RECURSIVE s(n) AS (SELECT CAST(? AS BIGINT) UNION ALL SELECT s.n + 1 FROM s WHERE s.n + 1 < CAST(? AS BIGINT)),
      h(height) AS (SELECT CAST(? AS BIGINT) + s.n * CAST(? AS BIGINT) / CAST(? AS BIGINT) FROM s)
    SELECT h.height, b.amount, b.nfts, ${timeOf('h.height')} AS time FROM h LEFT JOIN ${t.balance} b ON ${rowOf} AND b.height =
      (SELECT r.height FROM ${t.balance} r WHERE r.address = ? AND r.asset = ? AND r.locktime = ? AND r.height <= h.height
        ORDER BY r.height DESC LIMIT 1)
    ORDER BY h.height`;

  const allRowsSql = `SELECT b.locktime, b.height, b.amount, b.nfts FROM ${t.balance} b WHERE ${ofKey} AND (b.locktime, b.height) > (?, ?)
    ORDER BY b.locktime, b.height LIMIT ? + 0`;
  const timesByHeight = keyLookup((keys) => `SELECT height, time FROM ${t.block} WHERE height IN (${keys})`);

  /** Every change, or undefined if there are more than `maxPoints`. */
  function* exactPoints(keys: readonly Key[], from: number, to: number, maxPoints: number): Steps<BalancePoint[] | undefined> {
    const history: KeyedRow[] = [];
    for (let at = 0; at < keys.length; at += keysPerStep) {
      const step = keys.slice(at, at + keysPerStep);
      const queries = step.flatMap((key): Query[] => [
        { text: startSql, values: [from, ...key, from] },
        { text: changesSql, values: [...key, from, to, maxPoints] },
      ]);
      const results = (yield queries) as readonly (readonly Row[])[];
      for (const [i, rows] of results.entries())
        for (const row of rows) history.push({ ...row, height: Math.max(from, row.height), key: at + (i >> 1) });
      if (history.length > maxPoints + step.length) return undefined;
    }
    const points = sumByHeight(history);
    return points.length > maxPoints ? undefined : points;
  }

  function* sampledPoints(keys: readonly Key[], from: number, to: number, maxPoints: number): Steps<BalancePoint[]> {
    const count = Math.max(2, Math.min(maxPoints, Math.floor(maxLookups / keys.length), to - from + 1));
    const queries = keys.flatMap((key, at) =>
      Array.from({ length: Math.ceil(count / lookupsPerQuery) }, (_, part) => ({
        key: at,
        text: sampleSql,
        values: [part * lookupsPerQuery, Math.min(count, (part + 1) * lookupsPerQuery), from, to - from, count - 1, ...key, ...key],
      })),
    );
    const history: KeyedRow[] = [];
    for (let at = 0; at < queries.length; at += keysPerStep) {
      const step = queries.slice(at, at + keysPerStep);
      const results = (yield step) as readonly (readonly (Row | EmptyRow)[])[];
      for (const [i, rows] of results.entries())
        for (const row of rows)
          history.push({ ...(row.amount === null ? { ...row, amount: noAmount, nfts: 0 } : row), key: step[i]?.key ?? 0 });
    }
    return sumByHeight(history);
  }

  /** The history of an address with many lock times, from all its rows. Undefined if there are more than `maxBalanceRows`. */
  function* scannedPoints(owner: Owner, { from, to, maxPoints }: BalanceHistoryQuery): Steps<BalanceHistory | undefined> {
    const changes = new Map<number, { amount: bigint; nfts: number }>();
    let last: { readonly locktime: Uint8Array; readonly height: number } = { locktime: new Uint8Array(0), height: -1 };
    let before = { amount: 0n, nfts: 0 };
    for (let read = 0; ; read += rowsPerQuery) {
      if (read > maxBalanceRows) return undefined;
      const values = [...owner, last.locktime, last.height, rowsPerQuery];
      const rows = yield* fetchRows<LocktimeRow>([{ text: allRowsSql, values }]);
      for (const row of rows) {
        if (Buffer.compare(row.locktime, last.locktime) !== 0) before = { amount: 0n, nfts: 0 };
        last = row;
        const now = { amount: sumFromBytes(row.amount), nfts: row.nfts };
        if (row.height <= to) addChange(changes, row.height, { amount: now.amount - before.amount, nfts: now.nfts - before.nfts });
        before = now;
      }
      if (rows.length < rowsPerQuery) break;
    }
    const sums = sumsFrom(changes, from, to);
    const shown = pickSums(sums, to, maxPoints);
    const times = yield* fetchRows<{ height: number; time: number }>(timesByHeight(shown.map(({ height }) => height)));
    const timeAt = new Map(times.map(({ height, time }) => [height, time]));
    return {
      isSampled: shown.length < sums.length,
      points: shown.map((sum) => ({ ...sum, time: timeAt.get(sum.height) ?? 0 })),
    };
  }

  /** Undefined if the address has too many rows of the asset to read them all. */
  return function* balanceHistory(query: BalanceHistoryQuery): Steps<BalanceHistory | undefined> {
    const { address, asset, from, to, maxPoints } = query;
    const owner: Owner = [addressToBytes(address), idToBytes(asset)];
    const locktimes = yield* fetchRows<{ locktime: Uint8Array }>([{ text: locktimesSql, values: [...owner, ...owner, maxLocktimes + 1] }]);
    if (locktimes.length > maxLocktimes) return yield* scannedPoints(owner, query);
    const keys = locktimes.map(({ locktime }): Key => [...owner, locktime]);
    const starts = yield* fetchRows<{ height: number }>(keys.map((key) => ({ text: firstSql, values: key })));
    const first = Math.min(...starts.map(({ height }) => height));
    const start = Math.max(from ?? 0, Math.min(first, to));
    if (keys.length === 0 || first > to) return { isSampled: false, points: [] };
    const exact = yield* exactPoints(keys, start, to, maxPoints);
    return { isSampled: exact === undefined, points: exact ?? (yield* sampledPoints(keys, start, to, maxPoints)) };
  };
}

/** Address and asset. */
type Owner = readonly [Uint8Array, Uint8Array];
/** Address, asset and lock time of a row. */
type Key = readonly [...Owner, Uint8Array];
type Row = { readonly height: number; readonly time: number; readonly amount: Uint8Array; readonly nfts: number };
type EmptyRow = Omit<Row, 'amount' | 'nfts'> & { readonly amount: null; readonly nfts: null };
type KeyedRow = Row & { readonly key: number };
type LocktimeRow = Omit<Row, 'time'> & { readonly locktime: Uint8Array };

/** Queries per step; their rows are in memory at the same time. */
const keysPerStep = 8;

const noAmount = new Uint8Array(16);

/** Adds up the lock times: the sum at a height is that of the newest row of each. */
function sumByHeight(rows: readonly KeyedRow[]): BalancePoint[] {
  const latest = new Map<number, { amount: bigint; nfts: number }>();
  const points: BalancePoint[] = [];
  let [amount, nfts] = [0n, 0];
  const sorted = rows.toSorted((a, b) => a.height - b.height);
  for (const [at, row] of sorted.entries()) {
    const before = latest.get(row.key) ?? { amount: 0n, nfts: 0 };
    const now = { amount: sumFromBytes(row.amount), nfts: row.nfts };
    latest.set(row.key, now);
    amount += now.amount - before.amount;
    nfts += now.nfts - before.nfts;
    if (sorted[at + 1]?.height === row.height) continue;
    const last = points.at(-1);
    if (last === undefined || last.amount !== amount || last.nfts !== nfts)
      points.push({ height: row.height, time: row.time, amount, nfts });
  }
  return points;
}
