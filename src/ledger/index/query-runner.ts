import type { Queries, Query } from '../store/queries.ts';
import { startOnSqlite } from '../store/sqlite-runner.ts';
import type { Sql } from './sql.ts';

/**
 * Queries in flight at once: enough to hide the network latency, few enough that none waits long behind the others, since its timeout runs
 * meanwhile. A COPY has up to a thousand rows, so it counts as four.
 */
const usualInFlight = 8;
const copyWeight = 4;

/**
 * Runs queries on PostgreSQL, within a transaction only if `sql` is that of one (writes). Reads have none: other transactions may commit
 * between two groups of their queries. `maxInFlight`: queries that are sent at once.
 */
export async function runOnPostgres<T>(sql: Sql, queries: Queries<T>, maxInFlight = usualInFlight): Promise<T> {
  let group = queries.next();
  while (group.done !== true) {
    const results: (readonly unknown[])[] = [];
    let inFlight: Promise<readonly unknown[]>[] = [];
    let weight = 0;
    for (const query of group.value) {
      const added = query.copy === undefined ? 1 : copyWeight;
      if (weight + added > maxInFlight) {
        results.push(...(await Promise.all(inFlight)));
        inFlight = [];
        weight = 0;
      }
      weight += added;
      inFlight.push(runQuery(sql, query));
    }
    results.push(...(await Promise.all(inFlight)));
    group = queries.next(results);
  }
  return group.value;
}

async function runQuery(sql: Sql, { text, values, copy }: Query): Promise<readonly unknown[]> {
  if (copy === undefined) return sql.all<unknown>(text, values);
  await sql.copy?.(text, copy());
  return [];
}

/** Runs queries inside `WritableSql.write`: on SQLite before this returns, since there a write must be synchronous. */
export function runInWrite<T>(sql: Sql, queries: Queries<T>): T | Promise<T> {
  if (sql.dialect !== 'sqlite') return runOnPostgres(sql, queries);
  const run = startOnSqlite(queries, ({ text, values }) => sql.all<unknown>(text, values) as unknown[]);
  run.runUntilPause();
  return run.result();
}
