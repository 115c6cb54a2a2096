import type { SqlValue } from './database.ts';

/** A statement. With `copy` it is a COPY of PostgreSQL, which has rows instead of values; see ledger/index/copy-rows.ts. */
export type Query = { readonly text: string; readonly values: readonly SqlValue[]; readonly copy?: () => Uint8Array };

/** A query without values. */
export const toQuery = (text: string): Query => ({ text, values: [] });

/**
 * Queries that lead to a result, written once for SQLite and PostgreSQL: a generator that yields groups of independent queries and receives the
 * rows of each query. Writes on SQLite run synchronously, inside the transaction that stores a block (`sqliteRunner`); reads run in a read
 * transaction, long ones with pauses between queries (index-read/read-runner.ts). On PostgreSQL `runOnPostgres` awaits every group, and a group
 * is one round trip.
 */
export type Queries<T> = Generator<readonly Query[], T, readonly (readonly unknown[])[]>;

/** Runs a group of queries and returns the rows of all of them, in the order of the queries. */
export function* fetchRows<Row>(queries: readonly Query[]): Queries<readonly Row[]> {
  if (queries.length === 0) return [];
  const results = (yield queries) as readonly (readonly Row[])[];
  return results.length === 1 ? (results[0] as readonly Row[]) : results.flat();
}

/** Runs named groups of queries as one group and returns the rows of each name. */
export function* fetchRowGroups<K extends string>(
  groups: { readonly [S in K]: readonly Query[] },
): Queries<{ readonly [S in K]: readonly unknown[] }> {
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

/** Runs two computations in step: each group of queries holds those of both, so that they share round trips. */
export function* runTogether<A, B>(first: Queries<A>, second: Queries<B>): Queries<[A, B]> {
  return (yield* runAllTogether<A | B>([first, second])) as [A, B];
}

/** Runs computations of the same kind in step, like `runTogether`. */
export function* runAllTogether<T>(all: readonly Queries<T>[]): Queries<T[]> {
  const runs = all.map((queries) => ({ queries, group: queries.next() }));
  while (runs.some(({ group }) => group.done !== true)) {
    const groups = runs.map(({ group }) => (group.done === true ? [] : group.value));
    const results = yield groups.flat();
    let at = 0;
    for (const [i, run] of runs.entries()) {
      const end = at + (groups[i]?.length ?? 0);
      if (run.group.done !== true) run.group = run.queries.next(results.slice(at, end));
      at = end;
    }
  }
  return runs.map(({ group }) => group.value as T);
}

/**
 * Runs several ways to compute the same result in alternation and returns the result of the first that finishes. Each one ends its turn by
 * yielding an empty group. If all turns cost the same, two of them cost little more than twice the cheaper one, and the caller
 * need not know in advance which one that is.
 */
export function* raceQueries<T>(candidates: readonly Queries<T>[]): Queries<T> {
  for (;;)
    for (const candidate of candidates) {
      let group = candidate.next([]);
      while (group.done !== true && group.value.length > 0) group = candidate.next(yield group.value);
      if (group.done === true) return group.value;
    }
}
