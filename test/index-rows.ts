import type { Postgres } from '../src/cluster/postgres/postgres.ts';
import { chainTables } from '../src/ledger/index/chain-tables.ts';
import { explorerSchema, explorerTablesOf } from '../src/ledger/index/explorer-tables.ts';
import { indexSchema, indexTablesOf, sharedIndexSchema, type Table } from '../src/ledger/index/tables.ts';
import { tablesOf } from '../src/ledger/state/schema.ts';

const tables: readonly (readonly [name: string, table: Table])[] = [
  ...Object.entries(chainTables).map(([key, table]) => [tablesOf(1)[key as keyof typeof chainTables], table] as const),
  ...Object.entries(indexSchema).map(([key, table]) => [indexTablesOf(1)[key as keyof typeof indexSchema], table] as const),
  ...Object.entries(explorerSchema).map(([key, table]) => [explorerTablesOf(1)[key as keyof typeof explorerSchema], table] as const),
  ...Object.entries(sharedIndexSchema),
];

/** All rows of the tables of an index with one chain, in the order of their keys. */
export const rowsIn = (sql: Pick<Postgres, 'all'>) =>
  Promise.all(
    tables.map(async ([name, { key }]) => [name, await sql.all(`SELECT * FROM ${name} ORDER BY ${key.join(', ')}`, [])] as const),
  );
