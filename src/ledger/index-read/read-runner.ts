import type { LongWork } from '../../base/timing/long-work.ts';
import { runOnPostgres } from '../index/query-runner.ts';
import type { Sql } from '../index/sql.ts';
import type { Queries, Query } from '../store/queries.ts';
import { startOnSqlite } from '../store/sqlite-runner.ts';

/** Runs queries; a function creates them, since they start again after a revert. */
export type RunQueries = <T>(create: () => Queries<T>) => Promise<T>;

/**
 * Creates the runner of reads. On PostgreSQL other transactions may commit between two groups of queries; reads must allow for that. On SQLite
 * all queries of a read see one snapshot, unless `longWork` is passed: then a long read pauses between queries, and blocks may be written during
 * a pause. So `longWork` is only for queries as of a height.
 */
export function queryRunnerOn(sql: Sql, longWork?: LongWork): RunQueries {
  const { read } = sql;
  // All queries of a group at once: those with the same text become one statement; see statement-joiner.ts.
  if (read === undefined) return (create) => runOnPostgres(sql, create(), Number.POSITIVE_INFINITY);
  const runOne = ({ text, values }: Query) => sql.all<unknown>(text, values) as unknown[];
  return async (create) => {
    const pause = longWork?.begin();
    let run = startOnSqlite(create(), runOne, pause);
    let resumed = read(run.runUntilPause);
    while (resumed !== undefined) {
      const epoch = sql.epoch?.();
      await resumed;
      resumed = read(() => {
        // Rows from before a revert do not match rows from after it.
        if (epoch !== sql.epoch?.()) run = startOnSqlite(create(), runOne, pause);
        return run.runUntilPause();
      });
    }
    return run.result();
  };
}

/** The same for reads that cache nothing before they have ended: Citus checks each as a whole, which takes fewer statements than to check each of its groups. */
export function wholeRunnerOn(sql: Sql, longWork?: LongWork): RunQueries {
  const { checkAtEnd } = sql;
  if (checkAtEnd === undefined) return queryRunnerOn(sql, longWork);
  return (create) => checkAtEnd((unchecked) => queryRunnerOn(unchecked)(create));
}

/** A read that is a single query, and what its rows mean. */
export type SingleRead<T> = { readonly query: Query; readonly resultOf: (rows: readonly unknown[]) => T };

/** Runs a single query, without the transaction that `queryRunnerOn` opens on SQLite: to begin and end one takes as long as a small query. */
export const singleReaderOn =
  (sql: Sql) =>
  async <T>({ query, resultOf }: SingleRead<T>): Promise<T> =>
    resultOf(await sql.all<unknown>(query.text, query.values));

/** A read of the newest state. */
type LatestRead<T> = {
  /** The newest state on SQLite. On PostgreSQL, as far as this process knows it: a commit of a moment ago may be missing; undefined if it must be read. */
  readonly recent: () => T | undefined;
  readonly read: () => Promise<T>;
  /** The same as `recent`, or read if that is undefined. */
  readonly readRecent: () => Promise<T>;
};

/**
 * Runs a single query whose result is cached until the next commit where the database tells commits, which is on SQLite. On PostgreSQL `recent`
 * may know the result.
 */
export function latestReaderOn(sql: Sql): <T>(single: SingleRead<T>, recent?: () => T | undefined) => LatestRead<T> {
  const { untilCommit } = sql;
  const readOne = singleReaderOn(sql);
  return <T>(single: SingleRead<T>, recent: () => T | undefined = () => undefined): LatestRead<T> => {
    if (untilCommit === undefined) {
      const read = () => readOne(single);
      return { read, recent, readRecent: async () => recent() ?? read() };
    }
    const { query, resultOf } = single;
    const known = untilCommit(() => resultOf(sql.all<unknown>(query.text, query.values) as unknown[]));
    const read = async () => known();
    return { read, recent: known, readRecent: read };
  };
}

/** Runs a single query whose result never changes once it is not undefined, until then with each read. */
export function constantReaderOn(
  sql: Sql,
): <T extends NonNullable<unknown>>(single: SingleRead<T | undefined>, missing: T) => () => Promise<T> {
  const readOne = singleReaderOn(sql);
  return <T extends NonNullable<unknown>>(single: SingleRead<T | undefined>, missing: T) => {
    let known: T | undefined;
    return async () => {
      known ??= await readOne(single);
      return known ?? missing;
    };
  };
}
