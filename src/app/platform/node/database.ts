import { statSync } from 'node:fs';
import type { StatementSync } from 'node:sqlite';
import { createPrivateFile } from '../files.ts';
import { loadSqliteOfNode } from '../runtime.ts';

type Value = null | number | string | Uint8Array;

/** Opens a SQLite database with Node's driver. */
export function openDatabase(path: string, options: { readonly readonly: boolean }) {
  const { DatabaseSync } = loadSqliteOfNode();
  // SQLite gives the files beside the database the permissions of the database.
  if (path !== ':memory:' && !options.readonly) createPrivateFile(path);
  const raw = new DatabaseSync(path, { readOnly: options.readonly });
  return {
    exec: (sql: string): void => raw.exec(sql),
    prepare: <Row>(sql: string) => {
      // Prepared when it is first run, as on Bun.
      let statement: StatementSync | undefined;
      const prepared = (): StatementSync => {
        statement ??= raw.prepare(sql);
        return statement;
      };
      return {
        run: (...values: Value[]): void => void prepared().run(...withOwnMemory(values)),
        get: (...values: Value[]): Row | undefined => prepared().get(...withOwnMemory(values)) as Row | undefined,
        all: (...values: Value[]): Row[] => prepared().all(...withOwnMemory(values)) as Row[],
      };
    },
    fileToAttach: (file: string): string => `'${file.replaceAll("'", "''")}'`,
    walBytes: (): number => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    close: (): void => raw.close(),
  };
}

/** Node 22 passes an empty blob that came from a database on as NULL, because it has no memory. Changes the list. */
function withOwnMemory(values: Value[]): Value[] {
  for (let i = 0; i < values.length; i++)
    if ((values[i] as Uint8Array | null)?.length === 0 && typeof values[i] !== 'string') values[i] = noBytes;
  return values;
}

const noBytes = new Uint8Array(0);
