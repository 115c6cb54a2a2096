import type { LongWork, Pause } from '../../base/timing/long-work.ts';
import type { Sql } from '../index/sql.ts';
import { type Query, runSteps, type Steps } from '../index/steps.ts';

/** Runs a query that is written as steps. */
export type RunSteps = <T>(steps: () => Steps<T>) => Promise<T>;

/**
 * Creates the runner of steps. On PostgreSQL other transactions may commit between two steps; steps must allow for that. On SQLite all
 * steps of a run see one snapshot, unless `longWork` is passed: then a long run pauses between queries, and blocks may be written during a
 * pause. So `longWork` is only for queries as of a height.
 */
export function stepRunnerOn(sql: Sql, longWork?: LongWork): RunSteps {
  const { read } = sql;
  // All queries of a group at once: those with the same text become one statement; see statement-joiner.ts.
  if (read === undefined) return (steps) => runSteps(sql, steps(), Number.POSITIVE_INFINITY);
  return async (steps) => {
    const pause = longWork?.begin() ?? neverPause;
    let run = startRun(sql, steps(), pause);
    let paused = read(run.runUntilPause);
    while (paused !== undefined) {
      const { epoch, resumed } = paused;
      await resumed;
      paused = read(() => {
        // Rows from before a revert do not match rows from after it.
        if (epoch !== sql.epoch?.()) run = startRun(sql, steps(), pause);
        return run.runUntilPause();
      });
    }
    return run.result();
  };
}

/** A read that is a single query, and what its rows mean. */
export type SingleRead<T> = { readonly query: Query; readonly resultOf: (rows: readonly unknown[]) => T };

/** Runs a single query, without the transaction that steps have on SQLite: to begin and end one takes as long as a small query. */
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

const neverPause: Pause = () => undefined;

/** `epoch` is the epoch of the database when the pause began; `resumed` resolves when the pause ends. */
type PausedRun = { readonly epoch: number | undefined; readonly resumed: Promise<void> };

type SqliteRun<T> = {
  /** Runs queries until the next pause. Returns undefined when all queries are done. */
  readonly runUntilPause: () => PausedRun | undefined;
  readonly result: () => T;
};

function startRun<T>(sql: Sql, steps: Steps<T>, pause: Pause): SqliteRun<T> {
  let step = steps.next();
  let results: (readonly unknown[])[] = [];
  return {
    runUntilPause: () => {
      while (step.done !== true) {
        for (let query = step.value[results.length]; query !== undefined; query = step.value[results.length]) {
          results.push(sql.all<unknown>(query.text, query.values) as unknown[]);
          const resumed = pause();
          if (resumed !== undefined) return { epoch: sql.epoch?.(), resumed };
        }
        const finished = results;
        results = [];
        step = steps.next(finished);
      }
      return undefined;
    },
    result: () => (step as IteratorReturnResult<T>).value,
  };
}
