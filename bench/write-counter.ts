import type { Database, Statement } from '../src/ledger/store/database.ts';

/** What some work did in a database: its statements, and the rows that it inserted, changed or deleted, by table. */
type WriteCount = { readonly statements: number; readonly rows: ReadonlyMap<string, number> };

export type WriteCounter = {
  /** Wraps the database whose statements are counted. */
  readonly wrapDatabase: (db: Database) => Database;
  /** Runs `work` and counts its statements; without it nothing is counted, so that time can be measured. */
  readonly count: (work: () => void) => WriteCount;
};

/** Counts the statements of prepared work; BEGIN, COMMIT and other statements of `exec` are not counted. */
export function createWriteCounter(): WriteCounter {
  let current: { statements: number; readonly rows: Map<string, number> } | undefined;

  const wrapDatabase = (db: Database): Database => {
    const changes = db.prepare<{ rows: number }>('SELECT total_changes() AS rows');
    const countRows = (): number => changes.get()?.rows ?? 0;
    const counted = <T>(sql: string, run: () => T): T => {
      if (current === undefined || sql.includes('total_changes()')) return run();
      const before = countRows();
      const result = run();
      const rows = countRows() - before;
      current.statements++;
      const table = writtenTable(sql);
      if (table !== undefined && rows > 0) current.rows.set(table, (current.rows.get(table) ?? 0) + rows);
      return result;
    };
    const wrap = <Row>(sql: string, statement: Statement<Row>): Statement<Row> => ({
      run: (...values) => counted(sql, () => statement.run(...values)),
      get: (...values) => counted(sql, () => statement.get(...values)),
      all: (...values) => counted(sql, () => statement.all(...values)),
    });
    return { ...db, prepare: <Row>(sql: string) => wrap(sql, db.prepare<Row>(sql)) };
  };

  const count = (work: () => void): WriteCount => {
    const counting = { statements: 0, rows: new Map<string, number>() };
    current = counting;
    try {
      work();
    } finally {
      current = undefined;
    }
    return counting;
  };

  return { wrapDatabase, count };
}

/** The table that a statement writes, without the prefix of its chain; undefined for a statement that only reads. */
const writtenTable = (sql: string): string | undefined =>
  /\b(?:INSERT(?: OR \w+)? INTO|REPLACE INTO|DELETE FROM|UPDATE(?: OR \w+)?)\s+(\w+)/i.exec(sql)?.[1]?.replace(chainPrefix, '');

/** Tables of a chain begin with its number. */
export const chainPrefix = /^c\d+_/;
