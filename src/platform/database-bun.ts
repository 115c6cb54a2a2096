import { constants, Database, type SQLQueryBindings } from 'bun:sqlite';
import { statSync } from 'node:fs';

type Value = null | number | string | Uint8Array;

/** SQLite as Bun has it. */
export function openDatabase(path: string, options: { readonly readonly: boolean }) {
  const raw = new Database(...place(path, options.readonly));
  const statements: { finalize: () => void }[] = [];
  return {
    exec: (sql: string): void => void raw.run(sql),
    prepare: <Row>(sql: string) => {
      const statement = raw.prepare<Row, SQLQueryBindings[]>(sql);
      statements.push(statement);
      return {
        run: (...values: Value[]): void => void statement.run(...values),
        get: (...values: Value[]): Row | undefined => statement.get(...values) ?? undefined,
        all: (...values: Value[]): Row[] => statement.all(...values),
      };
    },
    logBytes: (): number => sizeOf(`${path}-wal`),
    /** A statement left open would keep the file and its locks until the garbage collector comes by. */
    close: (): void => {
      for (const statement of statements.splice(0)) statement.finalize();
      raw.close();
    },
  };
}

/**
 * A commit to `:memory:` walks every page of the database (0.4 ms at 200 MB); SQLite's memory file system does not.
 * A name without a slash is private to its connection. SQLite ends such a database at 1 GiB.
 */
function place(path: string, readonly: boolean): [string, number] {
  const { SQLITE_OPEN_READONLY, SQLITE_OPEN_READWRITE, SQLITE_OPEN_CREATE, SQLITE_OPEN_URI } = constants;
  if (path === ':memory:') return ['file:memory?vfs=memdb', SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI];
  return [path, readonly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE];
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
