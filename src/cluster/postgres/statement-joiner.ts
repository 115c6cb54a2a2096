import { toHex } from '../../base/bytes/hex.ts';
import { memoize } from '../../base/cache/memoize.ts';
import { arrayText, distinctArrayText, typeOf } from '../../ledger/index/key-array.ts';
import type { GroupResult, Sql, SqlQuery, SqlValue } from '../../ledger/index/sql.ts';
import { type StatementGroups, statementGroups } from './statement-groups.ts';

/** Queries of one statement at most: enough for a page of 64 addresses, few enough that none waits long for the others. */
const maxJoined = 256;

type Row = { readonly [column: string]: unknown };

/** A query that waits for its rows. Callers that ask for the same text with the same values share it. */
type WaitingQuery = { readonly values: readonly SqlValue[]; readonly rows: PromiseWithResolvers<Row[]> };

/** A statement, and the queries that it answers. */
type Statement = SqlQuery & { readonly queries: readonly WaitingQuery[] };

/**
 * A PostgreSQL database that runs queries together, for `serac api`. Queries that are asked for in one turn of the event loop and have the same text
 * become one statement, whose values are arrays; equal queries are run once, and the statements of a turn are sent as one group. So a read of many
 * ranges, and several requests at the same time, cost few round trips. On Citus they must be of one shard (statement-groups.ts). `soon` runs a function after everything that is ready to run.
 */
export function joinStatements(sql: Sql, soon: (run: () => void) => void): Sql {
  const { checkAtEnd } = sql;
  const joinedOf = memoize((one: Sql) => joinOn(one, soon));
  const joined = joinedOf(sql);
  return checkAtEnd === undefined ? joined : { ...joined, checkAtEnd: (read) => checkAtEnd((unchecked) => read(joinedOf(unchecked))) };
}

function joinOn(sql: Sql, soon: (run: () => void) => void): Sql {
  const sendGroup = sql.group ?? ((queries) => Promise.allSettled(queries.map(async ({ text, values }) => sql.all<unknown>(text, values))));
  // By the text first: its hash is computed once, that of a text with the types in front would be for every statement.
  const joiningOf = memoize((text: string) => {
    const grouping = statementGroups[sql.dialect](text);
    return { grouping, textOf: memoize((types: string) => joinedText(grouping, types.split(','))) };
  });
  /** The queries of this turn, by their text and then by their values. */
  let waiting = new Map<string, Map<string, WaitingQuery>>();

  const toStatement = (text: string, queries: readonly WaitingQuery[]): Statement => {
    const [{ values }] = queries as [WaitingQuery];
    if (queries.length === 1) return { text, values, queries };
    const columns = values.map((_, column) => queries.map((query) => query.values[column] as SqlValue));
    const { grouping, textOf } = joiningOf(text);
    const keys = grouping.key === undefined ? '' : distinctArrayText(columns[grouping.key] as SqlValue[]);
    const keyArrays = Array<string>(grouping.keyArrays).fill(keys);
    return { text: textOf(columns.map(typeOf).join()), values: [...columns.map(arrayText), ...keyArrays], queries };
  };

  const runWaiting = async (): Promise<void> => {
    const asked = waiting;
    waiting = new Map();
    const statements: Statement[] = [];
    for (const [text, sameText] of asked) {
      for (const queries of joiningOf(text).grouping.groupsOf([...sameText.values()]))
        for (let at = 0; at < queries.length; at += maxJoined) statements.push(toStatement(text, queries.slice(at, at + maxJoined)));
    }
    try {
      const results = await sendGroup(statements);
      for (const [i, { queries }] of statements.entries()) settle(queries, results[i] as GroupResult);
    } catch (reason) {
      for (const { queries } of statements) settle(queries, { status: 'rejected', reason });
    }
  };

  return {
    dialect: sql.dialect,
    all: <T>(text: string, values: readonly SqlValue[]): Promise<T[]> => {
      if (waiting.size === 0) soon(() => void runWaiting());
      const sameText = waiting.get(text) ?? new Map<string, WaitingQuery>();
      waiting.set(text, sameText);
      const key = keyOf(values);
      const query = sameText.get(key) ?? { values, rows: Promise.withResolvers<Row[]>() };
      sameText.set(key, query);
      return query.rows.promise as Promise<unknown> as Promise<T[]>;
    },
  };
}

/** Gives each query of a statement its rows, or the error of the statement. */
function settle(queries: readonly WaitingQuery[], result: GroupResult): void {
  if (result.status === 'rejected') {
    for (const { rows } of queries) rows.reject(result.reason);
    return;
  }
  const [first, second] = queries as [WaitingQuery, WaitingQuery?];
  if (second === undefined) {
    first.rows.resolve(result.value as Row[]);
    return;
  }
  const rowsOf: Row[][] = queries.map(() => []);
  for (const row of result.value as (Row & { readonly joined_query: number })[]) rowsOf[row.joined_query - 1]?.push(row);
  for (const [i, { rows }] of queries.entries()) rows.resolve(rowsOf[i] as Row[]);
}

/**
 * The text of one statement for several queries with the same text. `types` are those of its values. `SELECT s FROM t WHERE a = ?` becomes:
 *
 *     SELECT joined.query AS joined_query, found.* FROM unnest(<values of all queries>) WITH ORDINALITY AS joined(v0, query)
 *       CROSS JOIN LATERAL (SELECT row_number() OVER () AS joined_row, one.* FROM (SELECT s FROM t WHERE a = joined.v0) one) found
 *       ORDER BY 1, 2
 *
 * `joined_query` says which query a row belongs to, counted from 1. `joined_row` keeps the order of the rows of a query; because it is computed for
 * each query, PostgreSQL does not plan all of them as one join. Both are integers, which the driver returns as numbers.
 */
function joinedText(grouping: StatementGroups, types: readonly string[]): string {
  const arrays = types.map((type) => `CAST(CAST(? AS text) AS ${type}[])`).join(', ');
  const valueNames = types.map((_, position) => `v${position}`).join(', ');
  const query = grouping.nameValues((position) => `joined.v${position}`);
  return `SELECT CAST(joined.query AS integer) AS joined_query, found.* FROM unnest(${arrays}) WITH ORDINALITY AS joined(${valueNames}, query)
    CROSS JOIN LATERAL (SELECT CAST(row_number() OVER () AS integer) AS joined_row, one.* FROM (${query}) one) found ORDER BY 1, 2`;
}

/** A text that only equal values have. */
const keyOf = (values: readonly SqlValue[]): string =>
  values
    .map((value) => (value instanceof Uint8Array ? `x${toHex(value)}` : typeof value === 'string' ? JSON.stringify(value) : String(value)))
    .join();
