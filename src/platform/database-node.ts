import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

type Value = null | number | string | Uint8Array;

/** Opens a SQLite database with Node's driver, which exists since Node 22.13. */
export function openDatabase(path: string, options: { readonly readonly: boolean }) {
  const raw = new DatabaseSync(path, { readOnly: options.readonly });
  return {
    exec: (sql: string): void => raw.exec(sql),
    prepare: <Row>(sql: string) => {
      const statement = raw.prepare(sql);
      return {
        run: (...values: Value[]): void => void statement.run(...values),
        get: (...values: Value[]): Row | undefined => statement.get(...values) as Row | undefined,
        all: (...values: Value[]): Row[] => statement.all(...values) as Row[],
      };
    },
    fileToAttach: (file: string): string => `'${file.replaceAll("'", "''")}'`,
    walBytes: (): number => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    close: (): void => raw.close(),
  };
}
