import type { Sql, SqlValue } from '../src/index/sql.ts';

/** The cost of some work in statements, and in round trips: statements that are in flight together are one round trip. */
export type SqlCount = { readonly statements: number; readonly roundTrips: number };

export type SqlCounter = {
  /** The same database; every statement is counted. */
  readonly sql: Sql;
  /** Runs `work` and counts its statements. Nothing else may use `sql` meanwhile. */
  readonly count: (work: () => Promise<unknown>) => Promise<SqlCount>;
};

export function createSqlCounter(sql: Sql): SqlCounter {
  let [statements, roundTrips, inFlight] = [0, 0, 0];
  const all = async <Row>(text: string, values: readonly SqlValue[]): Promise<Row[]> => {
    statements++;
    if (inFlight++ === 0) roundTrips++;
    try {
      return await sql.all<Row>(text, values);
    } finally {
      inFlight--;
    }
  };
  return {
    sql: { dialect: sql.dialect, all },
    count: async (work) => {
      const before = { statements, roundTrips };
      await work();
      return { statements: statements - before.statements, roundTrips: roundTrips - before.roundTrips };
    },
  };
}
