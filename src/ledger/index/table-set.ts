import { fetchRows, type Queries, toQuery } from '../store/queries.ts';
import { columnNames, createTable, type Dialect } from './ddl.ts';
import { isOutdated, meta } from './migrate.ts';

/** Tables beside the index that are migrated together, such as the event log. Their version is in `meta`, like those of the index. */
export type TableSet = {
  /** The row of `meta` with the version. */
  readonly name: string;
  /** Creates the tables in the newest version. */
  readonly create: readonly string[];
  /** The first one converts tables of version 1 to version 2, and so on. */
  readonly upgrades: readonly ((dialect: Dialect) => Queries<void>)[];
  /** A column since version 2. Builds before 2026-11-17 stored no version: their tables have version 1 or 2. */
  readonly addedColumn: { readonly table: string; readonly column: string };
};

export const newestTableVersion = ({ upgrades }: TableSet): number => upgrades.length + 1;

/** Creates or migrates the tables. Must run inside a transaction. Throws INDEX_NEWER_SCHEMA if they are newer than this program. */
export function* migrateTableSet(set: TableSet, dialect: Dialect): Queries<void> {
  yield createTable(dialect, 'meta', meta).map(toQuery);
  const [stored] = yield* fetchRows<{ value: number }>([{ text: 'SELECT value FROM meta WHERE name = ?', values: [set.name] }]);
  const version = stored?.value ?? (yield* findVersion(set, dialect));
  const newest = newestTableVersion(set);
  if (!isOutdated(set.name, version, newest) && stored !== undefined) return;
  if (version === 0) for (const text of set.create) yield [toQuery(text)];
  else for (const upgrade of set.upgrades.slice(version - 1)) yield* upgrade(dialect);
  yield [
    {
      text: 'INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      values: [set.name, newest],
    },
  ];
}

/** The version of tables whose version is not stored; 0 if they do not exist. */
function* findVersion({ addedColumn: { table, column } }: TableSet, dialect: Dialect): Queries<number> {
  const columns = yield* fetchRows<{ name: string }>([columnNames(dialect, table)]);
  if (columns.length === 0) return 0;
  return columns.some(({ name }) => name === column) ? 2 : 1;
}
