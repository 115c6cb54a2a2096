import type { Query } from '../store/queries.ts';
import { placeTable, uniquesOnCitus } from './distribution.ts';
import type { Sql } from './sql.ts';
import type { Column, Table } from './tables.ts';

export type Dialect = Sql['dialect'];

/** The statements that create a table and its indexes if they do not exist. */
export function createTable(dialect: Dialect, name: string, table: Table): string[] {
  const columns = Object.entries(table.columns).map(
    ([column, { type, null: nullable }]) => `${column} ${columnTypes[dialect][type]}${nullable ? '' : ' NOT NULL'}`,
  );
  const keys = [
    `PRIMARY KEY (${table.key.join(', ')})`,
    ...uniquesOf[dialect](name, table).map((unique) => `UNIQUE (${unique.join(', ')})`),
  ];
  return [
    `CREATE TABLE IF NOT EXISTS ${name}(${[...columns, ...keys].join(', ')})${tableOptions(dialect, table)}`,
    ...(table.indexes ?? []).map((index) => createIndex(name, index)),
    ...(dialect === 'citus' ? placeTable(name) : []),
  ];
}

export const createIndex = (table: string, columns: readonly string[]): string =>
  `CREATE INDEX IF NOT EXISTS ${table}_by_${columns.join('_')} ON ${table}(${columns.join(', ')})`;

/** Reads the names of the columns of a table; there are none if it does not exist. */
export const columnNames = (dialect: Dialect, table: string): Query => ({
  text:
    dialect === 'sqlite'
      ? 'SELECT name FROM pragma_table_info(?)'
      : 'SELECT column_name AS name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ?',
  values: [table],
});

export const columnTypes: { readonly [D in Dialect]: { readonly [T in Column['type']]: string } } = {
  sqlite: { int: 'INTEGER', blob: 'BLOB', text: 'TEXT', real: 'REAL' },
  postgres: { int: 'bigint', blob: 'bytea', text: 'text', real: 'double precision' },
  citus: { int: 'bigint', blob: 'bytea', text: 'text', real: 'double precision' },
};

/** The unique keys of a table beside its primary key. */
const uniquesOf: { readonly [D in Dialect]: (name: string, table: Table) => readonly (readonly string[])[] } = {
  sqlite: (_, { unique = [] }) => unique,
  postgres: (_, table) => (table.unique ?? []).map((unique) => withPartitionKey(unique, table)),
  citus: uniquesOnCitus,
};

/** PostgreSQL allows a unique index of a table with partitions only together with the key of the partitions. */
const withPartitionKey = (unique: readonly string[], { partitions }: Table): readonly string[] =>
  partitions === undefined ? unique : [...unique, partitions.by];

/** SQLite stores a table with one integer key by that key; any other table needs WITHOUT ROWID to be stored in the order of its key. */
function tableOptions(dialect: Dialect, { key, columns, partitions, updated }: Table): string {
  if (dialect !== 'sqlite') {
    if (partitions !== undefined && dialect === 'postgres') return ` PARTITION BY RANGE (${partitions.by})`;
    return updated ? ' WITH (fillfactor = 50)' : '';
  }
  const [first, ...more] = key;
  const byInteger = more.length === 0 && first !== undefined && columns[first]?.type === 'int';
  return byInteger ? ' STRICT' : ' WITHOUT ROWID, STRICT';
}
