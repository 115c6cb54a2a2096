import type { Sql } from '../index/sql.ts';
import { type Query, runSteps, type Steps } from '../index/steps.ts';

/** Runs a query that is written as steps. */
export type RunSteps = <T>(steps: () => Steps<T>) => Promise<T>;

/** On SQLite all steps of a query see one snapshot. On PostgreSQL other transactions may commit between two steps; queries must allow for that. */
export function stepRunnerOn(sql: Sql): RunSteps {
  const { read } = sql;
  if (read === undefined) return (steps) => runSteps(sql, steps());
  const rowsOf = ({ text, values }: Query) => sql.all<unknown>(text, values) as unknown[];
  return async (steps) =>
    read(() => {
      const generator = steps();
      let turn = generator.next();
      while (turn.done !== true) turn = generator.next(turn.value.map(rowsOf));
      return turn.value;
    });
}
