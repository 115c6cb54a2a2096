import { memoize } from '../../base/cache/memoize.ts';
import type { Query } from '../store/queries.ts';
import { placeholders } from './batched-statement.ts';
import type { Dialect } from './ddl.ts';
import { distinctArrayText, typeOf } from './key-array.ts';
import type { SqlValue } from './sql.ts';

/**
 * Builds queries with a list of keys of one of a few lengths, so that few statements are prepared; `fill` is added until a length is reached. On
 * SQLite lists longer than 64 keys are not faster; on PostgreSQL each statement is a round trip, so that the outputs of a page of transactions are
 * looked up with one.
 */
function lookup<Key extends SqlValue>(
  lengths: readonly number[],
  text: (length: number) => string,
  fill: (last: Key) => SqlValue,
): (keys: readonly Key[]) => Query[] {
  const textFor = memoize(text);
  return (keys) => {
    const queries: Query[] = [];
    for (let at = 0; at < keys.length; at += keysPerQuery) {
      const values: SqlValue[] = keys.slice(at, at + keysPerQuery);
      const length = lengths.find((one) => one >= values.length) ?? keysPerQuery;
      const filling = fill(values[values.length - 1] as Key);
      while (values.length < length) values.push(filling);
      queries.push({ text: textFor(length), values });
    }
    return queries;
  };
}

/**
 * Builds queries that look up rows by many keys. `text` gets the condition that a column is one of the keys, and returns the SQL text:
 * `WHERE seq ${isKey}`. The rows of a key must not depend on the other keys: no GROUP BY, no LIMIT. `values` are those of the placeholders that
 * the text has before the condition.
 */
export type KeyLookup = (keys: readonly SqlValue[], values?: readonly SqlValue[]) => Query[];

export const keyLookup = (dialect: Dialect, text: (isKey: string) => string): KeyLookup => keyLookups[dialect](text);

/** For SQLite: `seq IN (?,?,…)`. The last key is repeated, which adds no rows. */
function listLookup(text: (isKey: string) => string): KeyLookup {
  const build = lookup(
    [1, 2, 4, 16, 64, 128, 256, 512, keysPerQuery],
    (length) => text(`IN (${placeholders(length)})`),
    (last) => last,
  );
  return (keys, before) => {
    const queries = build(keys);
    return before === undefined ? queries : queries.map((query) => ({ text: query.text, values: [...before, ...query.values] }));
  };
}

/**
 * For PostgreSQL: the query is run for each key of an array. As a table, the keys are joined one by one, so that only the partitions that have them
 * are read; of `= ANY(array)` PostgreSQL searches every partition, unless it makes a new plan for every array.
 */
export function arrayLookup(text: (isKey: string) => string): KeyLookup {
  const query = text('= listed.key');
  const textFor = memoize(
    (type: string) => `SELECT list.* FROM unnest(CAST(? AS ${type}[])) AS listed(key) CROSS JOIN LATERAL (${query}) list`,
  );
  return (keys, before = []) => {
    const queries: Query[] = [];
    for (let at = 0; at < keys.length; at += keysPerQuery) {
      const listed = keys.slice(at, at + keysPerQuery);
      queries.push({ text: textFor(typeOf(listed)), values: [distinctArrayText(listed), ...before] });
    }
    return queries;
  };
}

/**
 * For Citus: `seq = ANY(array)`. Citus makes a plan for every array anyway, and asks the shards of its keys only. Its tables have no partitions.
 */
function anyLookup(text: (isKey: string) => string): KeyLookup {
  const textFor = memoize((type: string) => text(`= ANY(CAST(? AS ${type}[]))`));
  return (keys, before = []) => {
    const queries: Query[] = [];
    for (let at = 0; at < keys.length; at += keysPerQuery) {
      const listed = keys.slice(at, at + keysPerQuery);
      queries.push({ text: textFor(typeOf(listed)), values: [...before, distinctArrayText(listed)] });
    }
    return queries;
  };
}

const keyLookups: { readonly [D in Dialect]: (text: (isKey: string) => string) => KeyLookup } = {
  sqlite: listLookup,
  postgres: arrayLookup,
  citus: anyLookup,
};

/**
 * Looks up byte strings. Each row has the position of its key in the list (column `n`), so the key is neither read back nor compared: for
 * pages of hundreds of outputs that is a good part of reading them. `text` gets the keys as a table: `k(n, id)` AS (VALUES …).
 */
export const orderedLookup = (dialect: Dialect, text: (keys: string) => string): ((keys: readonly Uint8Array[]) => Query[]) =>
  lookup(
    [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, keysPerQuery],
    (length) => text(`WITH k(n, id) AS (VALUES ${keyRows(dialect, length)})`),
    // No row has the key NULL.
    () => null,
  );

/** The rows of these queries by the position of their key; undefined where a key has no row. */
export function rowsByPosition<Row extends { readonly n: number }>(results: readonly (readonly Row[])[]): (Row | undefined)[] {
  const found: (Row | undefined)[] = [];
  for (const [i, rows] of results.entries()) for (const row of rows) found[i * keysPerQuery + row.n] = row;
  return found;
}

/** `(0, ?), (1, ?)`. PostgreSQL takes the type of the column from the first row. */
const keyRows = (dialect: Dialect, length: number): string =>
  Array.from({ length }, (_, n) => (n === 0 && dialect !== 'sqlite' ? '(0, CAST(? AS bytea))' : `(${n}, ?)`)).join(', ');

const keysPerQuery = 1024;
