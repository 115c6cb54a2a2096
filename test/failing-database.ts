import { openDatabase } from '../src/app/platform/bun/database.ts';
import type { OpenDatabase } from '../src/ledger/store/database.ts';

/** SQLite whose reads and commits fail on demand, as on a full or broken disk. */
export type FailingDatabase = {
  readonly open: OpenDatabase;
  /** If set, every commit fails with this error. */
  failCommits: Error | undefined;
  /** Whether reads fail too after the first failed commit. */
  failReadsWithCommit: boolean;
  /** Number of reads that still succeed. */
  failReadsAfter: number;
  /** Paths of the databases that are open. */
  readonly opened: Set<string>;
};

export const diskFull = Object.assign(new Error('database or disk is full'), { name: 'SQLiteError', code: 'SQLITE_FULL', errno: 13 });
export const readError = new Error('disk I/O error');

export function failingDatabase(): FailingDatabase {
  const control: FailingDatabase = {
    open,
    failCommits: undefined,
    failReadsWithCommit: false,
    failReadsAfter: Number.POSITIVE_INFINITY,
    opened: new Set(),
  };
  function open(path: string, options: { readonly readonly: boolean }) {
    const db = openDatabase(path, options);
    control.opened.add(path);
    const readable = <T>(read: () => T): T => {
      if (control.failReadsAfter <= 0) throw readError;
      control.failReadsAfter--;
      return read();
    };
    return {
      ...db,
      close: () => {
        control.opened.delete(path);
        db.close();
      },
      prepare: <Row>(sql: string) => {
        const statement = db.prepare<Row>(sql);
        if (sql === 'COMMIT')
          return {
            ...statement,
            run: () => {
              if (control.failCommits === undefined) return statement.run();
              if (control.failReadsWithCommit) control.failReadsAfter = 0;
              throw control.failCommits;
            },
          };
        if (!/^\s*SELECT/i.test(sql)) return statement;
        return {
          run: statement.run,
          get: (...values: Parameters<typeof statement.get>) => readable(() => statement.get(...values)),
          all: (...values: Parameters<typeof statement.all>) => readable(() => statement.all(...values)),
        };
      },
    };
  }
  return control;
}
