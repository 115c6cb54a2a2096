import type { Sql } from './sql.ts';
import type { Column, Table } from './tables.ts';

export type Dialect = Sql['dialect'];

/** The statements that make a table and its indexes, unless they are there. */
export function createTable(dialect: Dialect, name: string, table: Table): string[] {
  const columns = Object.entries(table.columns).map(
    ([column, { type, null: nullable }]) => `${column} ${types[dialect][type]}${nullable ? '' : ' NOT NULL'}`,
  );
  const keys = [`PRIMARY KEY (${table.key.join(', ')})`, ...(table.unique ?? []).map((unique) => `UNIQUE (${unique.join(', ')})`)];
  return [
    `CREATE TABLE IF NOT EXISTS ${name}(${[...columns, ...keys].join(', ')})${ending(dialect, table)}`,
    ...(table.indexes ?? []).map((index) => createIndex(name, index)),
  ];
}

export const createIndex = (table: string, columns: readonly string[]): string =>
  `CREATE INDEX IF NOT EXISTS ${table}_by_${columns.join('_')} ON ${table}(${columns.join(', ')})`;

/** A column of whole numbers, 0 in the rows that are there. */
export const addColumn = (dialect: Dialect, table: string, column: string): string =>
  `ALTER TABLE ${table} ADD COLUMN ${column} ${types[dialect].int} NOT NULL DEFAULT 0`;

const types: { readonly [D in Dialect]: { readonly [T in Column['type']]: string } } = {
  sqlite: { int: 'INTEGER', blob: 'BLOB', text: 'TEXT', real: 'REAL' },
  postgres: { int: 'bigint', blob: 'bytea', text: 'text', real: 'double precision' },
};

/** A table whose key is one integer is stored by it; any other would keep its rows apart from its key, unless told not to. */
function ending(dialect: Dialect, { key, columns }: Table): string {
  if (dialect === 'postgres') return '';
  const [first, ...more] = key;
  const byInteger = more.length === 0 && first !== undefined && columns[first]?.type === 'int';
  return byInteger ? ' STRICT' : ' WITHOUT ROWID, STRICT';
}
