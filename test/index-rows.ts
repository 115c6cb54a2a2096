import type { Postgres } from '../src/cluster/postgres/postgres.ts';
import { chainTables } from '../src/ledger/index/chain-tables.ts';
import { explorerSchema, explorerTablesOf } from '../src/ledger/index/explorer-tables.ts';
import { indexSchema, indexTablesOf, sharedIndexSchema, type Table } from '../src/ledger/index/tables.ts';
import { tablesOf } from '../src/ledger/state/schema.ts';
import { eventually } from './processes.ts';

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

/** The last block in an index of one chain; -1 while it has no block or no tables, or cannot be read. */
export async function indexedHeight(sql: Pick<Postgres, 'all'>): Promise<number> {
  const found = await sql.all<{ height: number | null }>('SELECT max(height) AS height FROM c1_block', []).catch(() => []);
  return found[0]?.height ?? -1;
}

export const waitForHeight = (sql: Pick<Postgres, 'all'>, height: number, milliseconds: number) =>
  eventually(
    () => indexedHeight(sql),
    (found) => found >= height,
    milliseconds,
  );
