import { toHex } from '../../base/bytes/hex.ts';
import { memoize } from '../../base/cache/memoize.ts';
import { arrayText, listAsArray, typeOf } from '../../ledger/index/key-array.ts';
import type { GroupResult, Sql, SqlQuery, SqlValue } from '../../ledger/index/sql.ts';

/** Queries of one statement at most: enough for a page of 64 addresses, few enough that none waits long for the others. */
const maxJoined = 256;

type Waiting = { readonly values: readonly SqlValue[]; readonly done: PromiseWithResolvers<Row[]> };

type Row = { readonly [column: string]: unknown };

/**
 * A PostgreSQL database that runs queries together: those that are asked for in one turn of the event loop and have the same text become one
 * statement, whose values are arrays; equal queries are run once, and the statements of a turn are one group. So a read of many ranges, and several
 * reads at the same time, cost few round trips. `soon` runs a function after everything that is ready to run.
 */
export function joinStatements(sql: Sql, soon: (run: () => void) => void): Sql {
  // By the text first: its hash is computed once, that of a text with the types in front would be for every statement.
  const textsOf = memoize((text: string) => memoize((types: string) => joinedText(types, text)));
  let waiting = new Map<string, Map<string, Waiting>>();
  const runAll = (): void => {
    const groups = waiting;
    waiting = new Map();
    const statements: Statement[] = [];
    for (const [text, queries] of groups) {
      const all = [...queries.values()];
      for (let at = 0; at < all.length; at += maxJoined) statements.push(toStatement(textsOf, text, all.slice(at, at + maxJoined)));
    }
    void run(statements);
  };
  const group = sql.group ?? ((queries) => Promise.allSettled(queries.map(async ({ text, values }) => sql.all<unknown>(text, values))));
  const run = async (statements: readonly Statement[]): Promise<void> => {
    try {
      const results = await group(statements);
      for (const [i, statement] of statements.entries()) settle(statement, results[i] as GroupResult);
    } catch (reason) {
      for (const statement of statements) settle(statement, { status: 'rejected', reason });
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

/** A statement and the queries that it runs. */
type Statement = SqlQuery & { readonly queries: readonly Waiting[] };

type JoinedTexts = (text: string) => (types: string) => string;

function toStatement(textsOf: JoinedTexts, text: string, queries: readonly Waiting[]): Statement {
  const [{ values }] = queries as [Waiting];
  if (queries.length === 1) return { text, values, queries };
  const columns = values.map((_, column) => queries.map((query) => query.values[column] as SqlValue));
  return { text: textsOf(text)(columns.map(typeOf).join()), values: columns.map(arrayText), queries };
}

/** Gives each query its rows, or the error of the statement. */
function settle({ queries }: Statement, result: GroupResult): void {
  if (result.status === 'rejected') {
    for (const { done } of queries) done.reject(result.reason);
    return;
  }
  const [single, another] = queries as [Waiting, Waiting?];
  if (another === undefined) {
    single.done.resolve(result.value as Row[]);
    return;
  }
  const rows: Row[][] = queries.map(() => []);
  for (const row of result.value as (Row & { readonly joined_query: number })[]) rows[row.joined_query - 1]?.push(row);
  for (const [i, { done }] of queries.entries()) done.resolve(rows[i] as Row[]);
}

/**
 * The text of a statement that runs a query for each element of its arrays, by the types of the arrays and the text of the query. The number of a
 * row keeps the order of the query, and that it is computed for each element keeps PostgreSQL from planning all of them as one join. Both numbers
 * are of the type that the driver returns as a number.
 */
function joinedText(listedTypes: string, text: string): string {
  const types = listedTypes.split(',');
  const arrays = types.map((type) => `CAST(CAST(? AS text) AS ${type}[])`).join(', ');
  const names = types.map((_, i) => `v${i}`).join(', ');
  let next = 0;
  const query = text.replace(/\?/g, () => `joined.v${next++}`);
  return `SELECT CAST(joined.query AS integer) AS joined_query, found.* FROM unnest(${arrays}) WITH ORDINALITY AS joined(${names}, query)
    CROSS JOIN LATERAL (SELECT CAST(row_number() OVER () AS integer) AS joined_row, one.* FROM (${query}) one) found ORDER BY 1, 2`;
}

/** A text that only equal values have. */
const keyOf = (values: readonly SqlValue[]): string =>
  values
    .map((value) => (value instanceof Uint8Array ? `x${toHex(value)}` : typeof value === 'string' ? JSON.stringify(value) : String(value)))
    .join();
