import { toHex } from '../../base/bytes/hex.ts';
import type { Query } from '../store/queries.ts';
import type { BatchedStatement } from './batched-statement.ts';
import { columnTypes } from './ddl.ts';
import type { SqlValue } from './sql.ts';
import type { Column } from './tables.ts';

/*
 * Lists of values as arrays of PostgreSQL: one value to send, and one text for every length.
 */

/**
 * A statement of PostgreSQL for many rows, which it gets as one array for each column: three values instead of 1,500 to describe, send and bind.
 * `text` is the SQL for a source of rows, `unnest(…)`.
 */
export function arrayStatement(types: readonly Column['type'][], text: (rows: string) => string): BatchedStatement {
  const sql = text(`unnest(${types.map((type) => `CAST(? AS ${columnTypes.postgres[type]}[])`).join(', ')})`);
  const step = maxRows * types.length;
  return (values) => {
    const queries: Query[] = [];
    for (let at = 0; at < values.length; at += step) {
      const columns = types.map((): string[] => []);
      for (let i = at; i < Math.min(at + step, values.length); i++)
        (columns[i % types.length] as string[]).push(elementText(values[i] as SqlValue));
      queries.push({ text: sql, values: columns.map((elements) => `{${elements.join()}}`) });
    }
    return queries;
  };
}

/** Rows of one statement: a busy server must finish it within the timeout. */
const maxRows = 1024;

/** Types of array elements. A column of nothing but NULL has keys that no row has; see `orderedLookup`. */
export const typeOf = (column: readonly SqlValue[]): string => {
  const known = column.find((value) => value !== null);
  return typeof known === 'number' ? 'bigint' : typeof known === 'string' ? 'text' : 'bytea';
};

/** PostgreSQL's text of an array. */
export const arrayText = (column: readonly SqlValue[]): string => `{${column.map(elementText).join()}}`;

/** The same with each value once. */
export const distinctArrayText = (column: readonly SqlValue[]): string => `{${[...new Set(column.map(elementText))].join()}}`;

function elementText(value: SqlValue): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"\\\\x${toHex(value)}"`;
}
