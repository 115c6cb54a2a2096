import type { Sql, SqlQuery, SqlValue } from '../src/ledger/index/sql.ts';

/**
 * The cost of some work in statements, and in round trips one after the other. Results of statements that are under way at the same time are returned
 * together, as over a network whose latency is longer than any statement takes: so a round trip is only counted if it depends on the one before it.
 */
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
  let underWay = 0;
  let roundTrip = Promise.withResolvers<void>();
  const all = async <Row>(text: string, values: readonly SqlValue[]): Promise<Row[]> => {
    statements++;
    sent.push({ text, values });
    if (underWay++ === 0) {
      roundTrips++;
      roundTrip = Promise.withResolvers();
    }
    const { promise, resolve } = roundTrip;
    try {
      return await sql.all<Row>(text, values);
    } finally {
      if (--underWay === 0) resolve();
      await promise;
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
