import type { Database } from '../store/database.ts';
import { preparedOn } from '../store/prepared.ts';
import type { Sql, SqlValue } from './sql.ts';

export type Query = { readonly text: string; readonly values: readonly SqlValue[] };

/**
 * Work on a database that does not know which: it yields queries that do not wait for one another and is given the rows of each.
 * SQLite answers at once, inside the block's own transaction; PostgreSQL in its time, a group in one round trip.
 */
export type Steps<T> = Generator<readonly Query[], T, readonly (readonly unknown[])[]>;

/** The rows of all the queries, in their order. */
export function* ask<Row>(queries: readonly Query[]): Steps<readonly Row[]> {
  if (queries.length === 0) return [];
  const answers = (yield queries) as readonly (readonly Row[])[];
  return answers.length === 1 ? (answers[0] as readonly Row[]) : answers.flat();
}

/** Runs steps on SQLite. To look for rows of what has none costs a fifth more. */
export function syncStepRunner(db: Database): <T>(steps: Steps<T>) => T {
  const prepared = preparedOn(db);
  const run = ({ text, values }: Query): readonly unknown[] => {
    if (text.startsWith('SELECT')) return prepared(text).all(...values);
    prepared(text).run(...values);
    return noRows;
  };
  return (steps) => {
    let turn = steps.next();
    while (turn.done !== true) turn = steps.next(turn.value.map(run));
    return turn.value;
  };
}

const noRows: readonly unknown[] = [];

/** Queries on their way at once: enough to hide the way, few enough that none waits for long behind the others. */
const atOnce = 8;

/** Runs steps on any database, within a transaction of the caller's. */
export async function runSteps<T>(sql: Sql, steps: Steps<T>): Promise<T> {
  let turn = steps.next();
  while (turn.done !== true) {
    const answers: unknown[][] = [];
    for (let at = 0; at < turn.value.length; at += atOnce) {
      const some = turn.value.slice(at, at + atOnce).map(({ text, values }) => sql.all<unknown>(text, values));
      answers.push(...(await Promise.all(some)));
    }
    turn = steps.next(answers);
  }
  return turn.value;
}

/** Several sorts of questions at once, each with the rows that answer it. */
export function* askTogether<K extends string>(
  groups: { readonly [S in K]: readonly Query[] },
): Steps<{ readonly [S in K]: readonly unknown[] }> {
  const names = Object.keys(groups) as K[];
  const answers = yield names.flatMap((name) => groups[name]);
  const rows = {} as { [S in K]: readonly unknown[] };
  let at = 0;
  for (const name of names) {
    const { length } = groups[name];
    rows[name] = length === 1 ? (answers[at] as readonly unknown[]) : answers.slice(at, at + length).flat();
    at += length;
  }
  return rows;
}
