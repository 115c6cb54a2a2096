import type { Database } from './database.ts';
import type { Queries, Query } from './queries.ts';
import { createStatementCache } from './statement-cache.ts';

/** Creates the function that runs queries on a SQLite database, from the first to the last without a pause: also inside a write transaction. */
export function sqliteRunner(db: Database): <T>(queries: Queries<T>) => T {
  const prepared = createStatementCache(db);
  /** Only SELECT statements (some begin with WITH) are read for rows: reading the others too cost a fifth more time. */
  const run = ({ text, values }: Query): readonly unknown[] => {
    if (text.startsWith('SELECT') || text.startsWith('WITH')) return prepared(text).all(...values);
    prepared(text).run(...values);
    return noRows;
  };
  return (queries) => {
    const started = startOnSqlite(queries, run);
    started.runUntilPause();
    return started.result();
  };
}

const noRows: readonly unknown[] = [];

/**
 * Starts queries on SQLite; `run` runs one of them. After each query `pause` is asked: a promise stops the run until `runUntilPause` is called
 * again, which should be after that promise.
 */
export function startOnSqlite<T>(queries: Queries<T>, run: (query: Query) => readonly unknown[], pause?: () => Promise<void> | undefined) {
  let group = queries.next();
  let results: (readonly unknown[])[] = [];
  return {
    /** Runs queries until the next pause, and returns its promise; undefined when all queries are done. */
    runUntilPause: (): Promise<void> | undefined => {
      while (group.done !== true) {
        for (let query = group.value[results.length]; query !== undefined; query = group.value[results.length]) {
          results.push(run(query));
          const resumed = pause?.();
          if (resumed !== undefined) return resumed;
        }
        const finished = results;
        results = [];
        group = queries.next(finished);
      }
      return undefined;
    },
    /** The result, after all queries are done. */
    result: (): T => (group as IteratorReturnResult<T>).value,
  };
}
