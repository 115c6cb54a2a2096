import type { Sql, SqlQuery, SqlValue } from '../src/ledger/index/sql.ts';

/** The cost of some work in statements, and in round trips one after the other: statements that start before one completes are one round trip. */
export type SqlCount = { readonly statements: number; readonly roundTrips: number };

export type SqlCounter = {
  /** The same database; every statement is counted. */
  readonly sql: Sql;
  /** Runs `work` and counts its statements. Nothing else may use `sql` meanwhile. */
  readonly count: (work: () => Promise<unknown>) => Promise<SqlCount>;
  /** The statements of the last count. */
  readonly sent: () => readonly SqlQuery[];
};

export function createSqlCounter(sql: Sql): SqlCounter {
  let [statements, roundTrips] = [0, 0];
  let sent: SqlQuery[] = [];
  /** Whether a statement has completed since the last round trip began. */
  let hasCompleted = true;
  const all = async <Row>(text: string, values: readonly SqlValue[]): Promise<Row[]> => {
    statements++;
    sent.push({ text, values });
    if (hasCompleted) roundTrips++;
    hasCompleted = false;
    try {
      return await sql.all<Row>(text, values);
    } finally {
      hasCompleted = true;
    }
  };
  return {
    sql: { dialect: sql.dialect, all },
    count: async (work) => {
      const before = { statements, roundTrips };
      sent = [];
      await work();
      return { statements: statements - before.statements, roundTrips: roundTrips - before.roundTrips };
    },
    sent: () => sent,
  };
}
