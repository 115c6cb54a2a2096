import type { Sql } from '../index/sql.ts';
import { type Query, runSteps, type Steps } from '../index/steps.ts';

/** Answers a question that is written as steps. */
export type Run = <T>(steps: () => Steps<T>) => Promise<T>;

/** SQLite answers all of it at once, as of one moment. PostgreSQL goes on writing between two steps; whoever asks has to bear that. */
export function runOn(sql: Sql): Run {
  const { read } = sql;
  if (read === undefined) return (steps) => runSteps(sql, steps());
  const answer = ({ text, values }: Query) => sql.all<unknown>(text, values) as unknown[];
  return async (steps) =>
    read(() => {
      const asking = steps();
      let turn = asking.next();
      while (turn.done !== true) turn = asking.next(turn.value.map(answer));
      return turn.value;
    });
}
