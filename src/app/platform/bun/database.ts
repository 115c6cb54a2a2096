import type * as BunSqlite from 'bun:sqlite';
import { statSync } from 'node:fs';
import { createPrivateFile } from '../files.ts';
import { loadSqliteOfBun } from '../runtime.ts';
import { watchWalIndex } from '../wal-index.ts';

type Value = null | number | string | Uint8Array;

/** Opens a SQLite database with Bun's driver. */
export function openDatabase(path: string, options: { readonly readonly: boolean; readonly watchesCommits?: boolean }) {
  const walIndex = options.watchesCommits === true ? watchWalIndex(path) : undefined;
  const { Database, constants } = loadSqliteOfBun();
  // SQLite gives the files beside the database the permissions of the database.
  if (path !== ':memory:' && !options.readonly) createPrivateFile(path);
  const raw = new Database(...openArguments(path, options.readonly, constants));
  const statements: { finalize: () => void }[] = [];
  return {
    exec: (sql: string): void => void raw.run(sql),
    prepare: <Row>(sql: string) => {
      const open = () => {
        const statement = raw.prepare<Row, BunSqlite.SQLQueryBindings[]>(sql);
        statements.push(statement);
        return statement;
      };
      // Prepared when it is first run: a node that starts runs half of its statements.
      let statement: ReturnType<typeof open> | undefined;
      const prepared = () => {
        statement ??= open();
        return statement;
      };
      return {
        run: (...values: Value[]): void => void prepared().run(asList(values)),
        get: (...values: Value[]): Row | undefined => prepared().get(asList(values)) ?? undefined,
        all: (...values: Value[]): Row[] => prepared().all(asList(values)),
      };
    },
    fileToAttach: (file: string): string => quote(path === ':memory:' ? `file:${encodeURI(file)}?vfs=${diskVfs}` : file),
    walBytes: (): number => sizeOf(`${path}-wal`),
    commitVersion: walIndex?.isInUse() === true ? walIndex.version : undefined,
    /** Finalizes the statements first: an open statement would keep the file and its locks until garbage collection. */
    close: (): void => {
      for (const statement of statements.splice(0)) statement.finalize();
      raw.close();
    },
  };
}

/** Bun binds a list like single values, which its types do not say. Spreading the list again would copy it twice. */
const asList = (values: Value[]) => values as unknown as BunSqlite.SQLQueryBindings;

/**
 * Path and flags for SQLite. `:memory:` is opened with SQLite's `memdb` file system, since a commit to a plain `:memory:` database visits every
 * page (0.4 ms at 200 MB). A name without a slash is private to its connection. The size limit of such a database is 1 GiB.
 */
function openArguments(path: string, readonly: boolean, constants: typeof BunSqlite.constants): [string, number] {
  const { SQLITE_OPEN_READONLY, SQLITE_OPEN_READWRITE, SQLITE_OPEN_CREATE, SQLITE_OPEN_URI } = constants;
  if (path === ':memory:') return ['file:memory?vfs=memdb', SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI];
  return [path, readonly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE];
}

/** SQLite's file system for files on disk: ATTACH uses the one of the connection otherwise, and `memdb` would create the file in memory. */
const diskVfs = process.platform === 'win32' ? 'win32' : 'unix';

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
