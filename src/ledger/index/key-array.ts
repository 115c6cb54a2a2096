import { toHex } from '../../base/bytes/hex.ts';
import { memoize } from '../../base/cache/memoize.ts';
import type { Query } from '../store/queries.ts';
import type { BatchedStatement } from './batched-statement.ts';
import { columnTypes } from './ddl.ts';
import type { Sql, SqlValue } from './sql.ts';
import type { Column } from './tables.ts';

/*
 * Lists of keys as arrays of PostgreSQL.
 */

/** The same database; lists of keys are sent as arrays. */
export const withKeyArrays = <S extends Pick<Sql, 'all'>>(sql: S): S => ({
  ...sql,
  all: <Row>(text: string, values: readonly SqlValue[]) => {
    const query = listAsArray(text, values);
    return sql.all<Row>(query.text, query.values);
  },
});

/** Where a text has its list of keys, `IN (?,?,…)`; `count` is 0 if it has none or several, or if the rows of one key depend on the others. */
const findList = memoize((text: string) => {
  const lists = /^SELECT(?!.*\b(?:LIMIT|GROUP BY)\b)/s.test(text) ? [...text.matchAll(/\bIN \((\?(?:,\?)*)\)/g)] : [];
  const [{ 0: list, 1: keys, index }] = lists.length === 1 ? (lists as [RegExpExecArray]) : [noList];
  const [before, behind] = [text.slice(0, index), text.slice(index + (list as string).length)];
  return {
    first: before.split('?').length - 1,
    count: ((keys as string).length + 1) >> 1,
    textOf: memoize((type: string) => withKeyTable(`${before}= listed.key${behind}`, type)),
  };
});

/**
 * A query that is run for each key of an array. As a table, the keys are joined one by one, so that only the partitions that have them are
 * read; of `= ANY(array)` PostgreSQL searches every partition, unless it makes a new plan for every array.
 */
const withKeyTable = (query: string, type: string): string =>
  `SELECT list.* FROM unnest(CAST(? AS ${type}[])) AS listed(key) CROSS JOIN LATERAL (${query}) list`;

const noList = { 0: '', 1: '', index: 0 } as const;

/** The same query with one array in place of its list of keys: texts for all lengths are the same, and the driver has one value to send. */
export function listAsArray(text: string, values: readonly SqlValue[]): Query {
  const { first, count, textOf } = findList(text);
  if (count === 0) return { text, values };
  const keys = values.slice(first, first + count);
  // A list of fixed length ends with repetitions.
  const array = `{${[...new Set(keys.map(elementText))].join()}}`;
  return { text: textOf(typeOf(keys)), values: [array, ...values.slice(0, first), ...values.slice(first + count)] };
}

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

function elementText(value: SqlValue): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"\\\\x${toHex(value)}"`;
}
