import { memoize } from '../../base/cache/memoize.ts';
import type { Query } from '../store/queries.ts';
import { placeholders } from './batched-statement.ts';
import type { Sql, SqlValue } from './sql.ts';

/**
 * Builds queries that look up many keys at once. A list of keys has one of a few lengths, so that few statements are prepared; `fill` is added
 * until a length is reached. On SQLite lists longer than 64 keys are not faster; on PostgreSQL each statement is a round trip, so that the outputs
 * of a page of transactions are looked up with one.
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

/** From a query text with an `IN (...)` list. The last key is repeated, which adds no rows. */
export const keyLookup = (text: (keys: string) => string): ((keys: readonly SqlValue[]) => Query[]) =>
  lookup(
    [1, 2, 4, 16, 64, 128, 256, 512, keysPerQuery],
    (length) => text(placeholders(length)),
    (last) => last,
  );

/**
 * The same for byte strings. Each row has the position of its key in the list (column `n`), so the key is neither read back nor compared: for
 * pages of hundreds of outputs that is a good part of reading them. `text` gets the keys as a table: `k(n, id)` AS (VALUES …).
 */
export const orderedLookup = (dialect: Sql['dialect'], text: (keys: string) => string): ((keys: readonly Uint8Array[]) => Query[]) =>
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
const keyRows = (dialect: Sql['dialect'], length: number): string =>
  Array.from({ length }, (_, n) => (n === 0 && dialect === 'postgres' ? '(0, CAST(? AS bytea))' : `(${n}, ?)`)).join(', ');

const keysPerQuery = 1024;
