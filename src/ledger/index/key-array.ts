import { toHex } from '../../base/bytes/hex.ts';
import type { Query } from '../store/queries.ts';
import type { BatchedStatement } from './batched-statement.ts';
import { columnTypes, type Dialect } from './ddl.ts';
import { shardOf } from './distribution.ts';
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

/**
 * The same for a table that has an address, the value `column` of a row, and that Citus divides by it. There each shard gets a statement with its rows: the
 * condition that `isInShard` adds, once and behind the source of rows, tells Citus the shard, to which it then sends the statement as it is. Without it
 * Citus would send all rows to all shards.
 */
export function addressStatement(
  dialect: Dialect,
  types: readonly Column['type'][],
  column: number,
  text: (rows: string, isInShard: (address: string) => string) => string,
): BatchedStatement {
  if (dialect !== 'citus') return arrayStatement(types, (rows) => text(rows, () => ''));
  const statement = arrayStatement(types, (rows) => text(rows, (address) => ` AND ${address} = ANY(CAST(? AS bytea[]))`));
  return (values) => {
    const shards = new Map<number, SqlValue[]>();
    for (let at = 0; at < values.length; at += types.length) {
      const shard = shardOf(values[at + column] as SqlValue);
      const rows = shards.get(shard) ?? [];
      if (rows.length === 0) shards.set(shard, rows);
      for (let i = at; i < at + types.length; i++) rows.push(values[i] as SqlValue);
    }
    return [...shards.values()].flatMap((rows) =>
      statement(rows).map((query) => ({ text: query.text, values: [...query.values, query.values[column] as SqlValue] })),
    );
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
