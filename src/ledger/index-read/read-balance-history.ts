import { type Address, addressToBytes } from '../../base/bytes/address.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { amountFromBytes, ownPart, partToBytes } from '../state/balance.ts';
import type { Tables } from '../state/schema.ts';
import { fetchRows, type Queries } from '../store/queries.ts';

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

/** Lookups of one query. They take a few milliseconds; a long run pauses between queries. */
const lookupsPerQuery = 512;

/** Reads how the sum of an address's single-owner outputs of an asset changed. */
export function createBalanceHistoryReads(t: Pick<Tables, 'block' | 'balance'>) {
  const ofKey = 'b.address = ? AND b.asset = ? AND b.part = ?';
  const timeOf = (height: string): string => `(SELECT k.time FROM ${t.block} k WHERE k.height = ${height})`;
  const columns = 'b.height, b.amount, b.nfts';
  const firstSql = `SELECT b.height FROM ${t.balance} b WHERE ${ofKey} ORDER BY b.height LIMIT 1`;
  const startSql = `SELECT ${columns}, ${timeOf('CAST(? AS BIGINT)')} AS time FROM ${t.balance} b WHERE ${ofKey} AND b.height <= ?
    ORDER BY b.height DESC LIMIT 1`;
  const changesSql = `SELECT ${columns}, ${timeOf('b.height')} AS time FROM ${t.balance} b WHERE ${ofKey} AND b.height > ? AND b.height <= ?
    ORDER BY b.height LIMIT ? + 0`;
  const exactSql = `SELECT * FROM (${startSql}) s UNION ALL SELECT * FROM (${changesSql}) c`;
  // For each of the heights from + n * span / count: the newest row at or below it.
  const sampleSql = `WITH RECURSIVE s(n) AS (SELECT CAST(? AS BIGINT) UNION ALL SELECT s.n + 1 FROM s WHERE s.n + 1 < CAST(? AS BIGINT)),
      h(height) AS (SELECT CAST(? AS BIGINT) + s.n * CAST(? AS BIGINT) / CAST(? AS BIGINT) FROM s)
    SELECT h.height, b.amount, b.nfts, ${timeOf('h.height')} AS time FROM h JOIN ${t.balance} b ON ${ofKey} AND b.height =
      (SELECT r.height FROM ${t.balance} r WHERE r.address = ? AND r.asset = ? AND r.part = ? AND r.height <= h.height
        ORDER BY r.height DESC LIMIT 1)
    ORDER BY h.height`;

  /** Every change, or undefined if there are more than `maxPoints`. */
  function* exactPoints(key: Key, from: number, to: number, maxPoints: number): Queries<BalancePoint[] | undefined> {
    const values = [from, ...key, Math.min(from, to), ...key, from, to, maxPoints + 2];
    const rows = (yield* fetchRows<Row>([{ text: exactSql, values }])).toSorted((a, b) => a.height - b.height);
    const points = changedPoints(rows.map((row) => ({ ...row, height: Math.max(from, row.height) })));
    return rows.length > maxPoints + 1 || points.length > maxPoints ? undefined : points;
  }

  function* sampledPoints(key: Key, from: number, to: number, maxPoints: number): Queries<BalancePoint[]> {
    const count = Math.max(2, Math.min(maxPoints, to - from + 1));
    const queries = Array.from({ length: Math.ceil(count / lookupsPerQuery) }, (_, n) => ({
      text: sampleSql,
      values: [n * lookupsPerQuery, Math.min(count, (n + 1) * lookupsPerQuery), from, to - from, count - 1, ...key, ...key],
    }));
    return changedPoints(yield* fetchRows<Row>(queries));
  }

  return function* balanceHistory({ address, asset, from, to, maxPoints }: BalanceHistoryQuery): Queries<BalanceHistory> {
    const key: Key = [addressToBytes(address), idToBytes(asset), partToBytes(ownPart)];
    const exact = yield* exactPoints(key, from ?? 0, to, maxPoints);
    if (exact !== undefined) return { isSampled: false, points: exact };
    const [first] = yield* fetchRows<{ height: number }>([{ text: firstSql, values: key }]);
    const start = Math.max(from ?? 0, first?.height ?? 0);
    return { isSampled: true, points: yield* sampledPoints(key, start, to, maxPoints) };
  };
}

/** Address, asset and part of a balance. */
type Key = readonly [Uint8Array, Uint8Array, Uint8Array];
type Row = { readonly height: number; readonly time: number; readonly amount: Uint8Array; readonly nfts: number };

/** Rows as points, without those that equal the one before. */
function changedPoints(rows: readonly Row[]): BalancePoint[] {
  const points: BalancePoint[] = [];
  for (const { height, time, amount: bytes, nfts } of rows) {
    const amount = amountFromBytes(bytes);
    const last = points.at(-1);
    if (last === undefined || last.amount !== amount || last.nfts !== nfts) points.push({ height, time, amount, nfts });
  }
  return points;
}
