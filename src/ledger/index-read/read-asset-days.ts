import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { fetchRows, type Query, type Steps } from '../index/steps.ts';
import { type IndexTables, txKinds } from '../index/tables.ts';
import type { PinnedBlock } from './index-reads.ts';
import { runAllTogether } from './merge.ts';
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

/** Days whose first and last transactions are looked up together. */
const daysPerStep = 16;

/** Counts the transactions of an asset by day. There is no table of such counts: the rows of the history are counted. */
export function createAssetDayReads(t: IndexTables, blocks: Pick<BlockReads, 'bounds'>) {
  const countSql = `SELECT count(*) AS n, max(tx) AS last FROM
    (SELECT tx FROM ${t.history} WHERE subject = ? AND kind = ? AND tx > ? AND tx <= ? ORDER BY tx LIMIT ? + 0) f`;

  /** The rows of a range of transactions; undefined if there are more than `maxRows`. */
  function* countRange(subject: Uint8Array, after: number, last: number, maxRows: number): Steps<number | undefined> {
    let pending = Object.values(txKinds).map((kind) => ({ kind, after }));
    let counted = 0;
    while (pending.length > 0) {
      const queries = pending.map(
        ({ kind, after: from }): Query => ({ text: countSql, values: [subject, kind, from, last, rowsPerQuery] }),
      );
      const rows = yield* fetchRows<{ n: number; last: number | null }>(queries);
      for (const { n } of rows) counted += n;
      if (counted > maxRows) return undefined;
      pending = pending.flatMap(({ kind }, i) => {
        const row = rows[i];
        return row === undefined || row.n < rowsPerQuery ? [] : [{ kind, after: row.last ?? last }];
      });
    }
    return counted;
  }

  /** The counts of the first days; the list is shorter than `days` if `maxRows` did not suffice for the others. */
  return function* assetDays({ asset, days, pin, maxRows }: AssetDaysQuery): Steps<number[]> {
    const subject = idToBytes(asset);
    const counts: number[] = [];
    let rest = maxRows;
    for (let at = 0; at < days.length; at += daysPerStep) {
      const group = days.slice(at, at + daysPerStep);
      const bounds = yield* runAllTogether(group.map((day) => blocks.bounds({ from: day, to: day + daySeconds })));
      for (const { before, last } of bounds) {
        const count = yield* countRange(subject, before?.lastTx ?? 0, Math.min(pin.lastTx, last?.lastTx ?? 0), rest);
        if (count === undefined) return counts;
        counts.push(count);
        rest -= count;
      }
    }
    return counts;
  };
}
