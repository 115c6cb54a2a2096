import { toHex } from '../../base/bytes/hex.ts';
import { memoize } from '../../base/cache/memoize.ts';
import { arrayText, listAsArray, typeOf } from './key-array.ts';
import type { Sql, SqlValue } from './sql.ts';

/** Queries of one statement at most: enough for a page of 64 addresses, few enough that none waits long for the others. */
const maxJoined = 256;

type Waiting = { readonly values: readonly SqlValue[]; readonly done: PromiseWithResolvers<Row[]> };

type Row = { readonly [column: string]: unknown };

/**
 * A PostgreSQL database that runs queries together: those that are asked for in one turn of the event loop and have the same text become one
 * statement, whose values are arrays; equal queries are run once. So a read of many ranges, and several reads at the same time, cost few round
 * trips. `soon` runs a function after everything that is ready to run.
 */
export function joinStatements(sql: Sql, soon: (run: () => void) => void): Sql {
  const textOf = memoize(joinedText);
  let waiting = new Map<string, Map<string, Waiting>>();
  const runAll = (): void => {
    const groups = waiting;
    waiting = new Map();
    for (const [text, queries] of groups) {
      const all = [...queries.values()];
      for (let at = 0; at < all.length; at += maxJoined) void run(text, all.slice(at, at + maxJoined));
    }
  };
  const run = async (text: string, queries: readonly Waiting[]): Promise<void> => {
    try {
      const rows = await runQueries(sql, textOf, text, queries);
      for (const [i, { done }] of queries.entries()) done.resolve(rows[i] as Row[]);
    } catch (error) {
      for (const { done } of queries) done.reject(error);
    }
  };
  return {
    dialect: sql.dialect,
    all: <T>(given: string, all: readonly SqlValue[]): Promise<T[]> => {
      if (waiting.size === 0) soon(runAll);
      const { text, values } = listAsArray(given, all);
      const sameText = waiting.get(text) ?? new Map<string, Waiting>();
      waiting.set(text, sameText);
      const key = keyOf(values);
      const query = sameText.get(key) ?? { values, done: Promise.withResolvers<Row[]>() };
      sameText.set(key, query);
      return query.done.promise as Promise<unknown> as Promise<T[]>;
    },
  };
}

async function runQueries(sql: Sql, textOf: typeof joinedText, text: string, queries: readonly Waiting[]): Promise<Row[][]> {
  const [first] = queries;
  if (queries.length === 1) return [await sql.all<Row>(text, first?.values ?? [])];
  const columns = (first?.values ?? []).map((_, column) => queries.map(({ values }) => values[column] as SqlValue));
  const types = columns.map(typeOf);
  const found = await sql.all<Row & { readonly joined_query: number }>(textOf(`${types.join()} ${text}`), columns.map(arrayText));
  const rows: Row[][] = queries.map(() => []);
  for (const row of found) rows[row.joined_query - 1]?.push(row);
  return rows;
}

/**
 * The text of a statement that runs a query for each element of its arrays, by the types of the arrays and the text of the query. The number of a
 * row keeps the order of the query, and that it is computed for each element keeps PostgreSQL from planning all of them as one join.
 */
function joinedText(typesAndText: string): string {
  const end = typesAndText.indexOf(' ');
  const [types, text] = [typesAndText.slice(0, end).split(','), typesAndText.slice(end + 1)];
  const arrays = types.map((type) => `CAST(CAST(? AS text) AS ${type}[])`).join(', ');
  const names = types.map((_, i) => `v${i}`).join(', ');
  let next = 0;
  const query = text.replace(/\?/g, () => `joined.v${next++}`);
  return `SELECT joined.query AS joined_query, found.* FROM unnest(${arrays}) WITH ORDINALITY AS joined(${names}, query)
    CROSS JOIN LATERAL (SELECT row_number() OVER () AS joined_row, one.* FROM (${query}) one) found ORDER BY 1, 2`;
}

/** A text that only equal values have. */
const keyOf = (values: readonly SqlValue[]): string =>
  values
    .map((value) => (value instanceof Uint8Array ? `x${toHex(value)}` : typeof value === 'string' ? JSON.stringify(value) : String(value)))
    .join();
