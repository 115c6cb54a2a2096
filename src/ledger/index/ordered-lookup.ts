import { memoize } from '../../base/cache/memoize.ts';
import type { Sql, SqlValue } from './sql.ts';
import type { Query } from './steps.ts';

/**
 * Builds queries that look up many byte strings at once, like `keyLookup`. Each row has the position of its key in the list (column `n`), so
 * the key is neither read back nor compared: for pages of hundreds of outputs that is a good part of reading them.
 * `text` gets the keys as a table: `k(n, id)` AS (VALUES …).
 */
export function orderedLookup(dialect: Sql['dialect'], text: (keys: string) => string): (keys: readonly Uint8Array[]) => Query[] {
  const textFor = memoize((length: number) => text(`WITH k(n, id) AS (VALUES ${keyRows(dialect, length)})`));
  return (keys) => {
    const queries: Query[] = [];
    for (let at = 0; at < keys.length; at += keysPerQuery) {
      const values: SqlValue[] = keys.slice(at, at + keysPerQuery);
      // A few lengths, so that few statements are prepared. No row has the key NULL.
      const length = listLengths.find((one) => one >= values.length) ?? keysPerQuery;
      while (values.length < length) values.push(null);
      queries.push({ text: textFor(length), values });
    }
    return queries;
  };
}

/** The rows of these queries by the position of their key; undefined where a key has no row. */
export function rowsByPosition<Row extends { readonly n: number }>(results: readonly (readonly Row[])[]): (Row | undefined)[] {
  const found: (Row | undefined)[] = [];
  for (const [i, rows] of results.entries()) for (const row of rows) found[i * keysPerQuery + row.n] = row;
  return found;
}

/** `(0, ?), (1, ?)`. PostgreSQL takes the type of the column from the first row. */
const keyRows = (dialect: Sql['dialect'], length: number): string =>
  Array.from({ length }, (_, n) => (n === 0 && dialect === 'postgres' ? '(0, CAST(? AS bytea))' : `(${n}, ?)`)).join(', ');

const listLengths = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] as const;
const keysPerQuery = 1024;
