import { andThen, type MaybePromise } from '../../base/timing/promise.ts';
import type { Database } from '../store/database.ts';
import { createStatementCache } from '../store/statement-cache.ts';
import type { Sql, SqlQuery } from './sql.ts';

/** A statement. With `copy` it is a COPY of PostgreSQL, which has rows instead of values; see copy-rows.ts. */
export type Query = SqlQuery & { readonly copy?: () => Uint8Array };

/** A query without values. */
export const toQuery = (text: string): Query => ({ text, values: [] });

/**
 * Database work that runs on SQLite and PostgreSQL: a generator that yields groups of independent queries and receives the rows of each.
 * `syncStepRunner` runs it on SQLite synchronously, inside the block's own transaction. `runSteps` awaits every group, and PostgreSQL gets
 * a group in one round trip.
 */
export type Steps<T> = Generator<readonly Query[], T, readonly (readonly unknown[])[]>;

/** Runs the queries and returns the rows of all of them, in the order of the queries. */
export function* fetchRows<Row>(queries: readonly Query[]): Steps<readonly Row[]> {
  if (queries.length === 0) return [];
  const results = (yield queries) as readonly (readonly Row[])[];
  return results.length === 1 ? (results[0] as readonly Row[]) : results.flat();
}

/** Runs steps on SQLite. Only SELECT statements are read for rows: reading the others too cost a fifth more time. */
export function syncStepRunner(db: Database): <T>(steps: Steps<T>) => T {
  const prepared = createStatementCache(db);
  const run = ({ text, values }: Query): readonly unknown[] => {
    if (text.startsWith('SELECT')) return prepared(text).all(...values);
    prepared(text).run(...values);
    return noRows;
  };
  return (steps) => {
    let step = steps.next();
    while (step.done !== true) step = steps.next(step.value.map(run));
    return step.value;
  };
}

const noRows: readonly unknown[] = [];

/**
 * Queries in flight at once: enough to hide the network latency, few enough that none waits long behind the others, since its timeout runs
 * meanwhile. A COPY has up to a thousand rows, so it counts as four.
 */
const usualInFlight = 8;
const copyWeight = 4;

/** Runs steps on any database, within the caller's transaction. `maxInFlight`: queries that are sent at once. */
export async function runSteps<T>(sql: Sql, steps: Steps<T>, maxInFlight = usualInFlight): Promise<T> {
  let step = steps.next();
  while (step.done !== true) {
    const results: (readonly unknown[])[] = [];
    let inFlight: Promise<readonly unknown[]>[] = [];
    let weight = 0;
    for (const query of step.value) {
      weight += query.copy === undefined ? 1 : copyWeight;
      if (weight > maxInFlight) {
        results.push(...(await Promise.all(inFlight)));
        inFlight = [];
        weight = query.copy === undefined ? 1 : copyWeight;
      }
      inFlight.push(runQuery(sql, query));
    }
    results.push(...(await Promise.all(inFlight)));
    step = steps.next(results);
  }
  return step.value;
}

/** Runs steps on any database, one query after the other: on SQLite at once, also inside a write, which must be synchronous. */
export function runInTurn<T>(sql: Sql, steps: Steps<T>): MaybePromise<T> {
  const runAll = (queries: readonly Query[], done: readonly (readonly unknown[])[]): MaybePromise<readonly (readonly unknown[])[]> => {
    const next = queries[done.length];
    return next === undefined ? done : andThen(sql.all<unknown>(next.text, next.values), (rows) => runAll(queries, [...done, rows]));
  };
  const runFrom = (step: IteratorResult<readonly Query[], T>): MaybePromise<T> =>
    step.done === true ? step.value : andThen(runAll(step.value, []), (results) => runFrom(steps.next(results)));
  return runFrom(steps.next());
}

async function runQuery(sql: Sql, { text, values, copy }: Query): Promise<readonly unknown[]> {
  if (copy === undefined) return sql.all<unknown>(text, values);
  await sql.copy?.(text, copy());
  return noRows;
}

/** Runs named groups of queries at once and returns the rows of each group. */
export function* fetchRowGroups<K extends string>(
  groups: { readonly [S in K]: readonly Query[] },
): Steps<{ readonly [S in K]: readonly unknown[] }> {
  const names = Object.keys(groups) as K[];
  const results = yield names.flatMap((name) => groups[name]);
  const rows = {} as { [S in K]: readonly unknown[] };
  let at = 0;
  for (const name of names) {
    const { length } = groups[name];
    rows[name] = length === 1 ? (results[at] as readonly unknown[]) : results.slice(at, at + length).flat();
    at += length;
  }
  return rows;
}
