import { memoize } from '../../base/cache/memoize.ts';
import type { Query } from '../store/queries.ts';
import type { SqlValue } from './sql.ts';

/**
 * How many rows one statement may hold, largest first, ending with 1. A few sizes, so that few statements are prepared.
 * SQLite gains nothing beyond 16 rows; PostgreSQL saves round trips with more.
 */
export type BatchSizes = readonly number[];

/** Turns rows into queries. The values of all rows come in one flat list, row after row. */
export type BatchedStatement = (values: readonly SqlValue[]) => Query[];

/** A statement for rows of `width` values each; `text` returns its SQL for a number of rows. */
export function batchedStatement(sizes: BatchSizes, width: number, text: (rows: number) => string): BatchedStatement {
  const textFor = memoize(text);
  return (values) => {
    const queries: Query[] = [];
    let at = 0;
    for (const size of sizes)
      for (const step = size * width; at + step <= values.length; at += step)
        queries.push({ text: textFor(size), values: values.slice(at, at + step) });
    return queries;
  };
}

/** `(?,?),(?,?)`. `firstRow` replaces the placeholders of the first row, for example by casts: PostgreSQL takes the types from that row. */
export function valueTuples(rows: number, width: number, firstRow?: readonly string[]): string {
  const row = `(${placeholders(width)})`;
  const all = Array<string>(rows).fill(row);
  if (firstRow !== undefined) all[0] = `(${firstRow.join(',')})`;
  return all.join(',');
}

/** `?,?,?`. */
export const placeholders = (count: number): string => Array(count).fill('?').join(',');
