import { tablesOf } from '../state/schema.ts';
import { chainTables, sharedTables } from './chain-tables.ts';
import { addColumn, createIndex, createTable, type Dialect } from './ddl.ts';
import { addExplorerRows } from './explorer-migration.ts';
import { explorerSchema, explorerTablesOf } from './explorer-tables.ts';
import { addImportedOutputs } from './imported-migration.ts';
import { separateNfts } from './nft-migration.ts';
import type { Steps } from './steps.ts';
import { indexSchema, indexTablesOf, sharedIndexSchema, signerKeySchema, signerKeyTable, type Table } from './tables.ts';
import { addTxIdTexts } from './tx-ids-migration.ts';
import { addTxOutputs } from './tx-outputs-migration.ts';

/**
 * A migration to a schema version; there are no downgrades. The shared tables and the tables of each chain have their own versions, since
 * a chain may be added later.
 */
export type Migration = {
  readonly version: number;
  readonly shared: (dialect: Dialect) => string[];
  readonly chain: (dialect: Dialect, number: number) => string[];
  /** Converts existing rows, after the statements and in the same transaction. */
  readonly rows?: (number: number, onTx: OnMigratedTx) => Steps<void>;
};

/** Called with the `seq` of the last transaction up to which a migration has converted rows. */
export type OnMigratedTx = (seq: number) => void;

/**
 * All migrations, oldest first. To change a table, add an entry here and make sure that the entries before it still create the old form:
 * they build on the current schema (see `without`).
 */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    shared: (dialect) => [
      ...(dialect === 'postgres' ? createTable(dialect, 'chain', sharedTables.chain) : []),
      ...Object.entries(sharedIndexSchema).flatMap(([name, table]) => createTable(dialect, name, table)),
    ],
    chain: (dialect, number) => {
      const [own, index] = [tablesOf(number), indexTablesOf(number)];
      return [
        ...(dialect === 'postgres' ? createAll(dialect, own, chainTables) : []),
        createIndex(own.block, ['time', 'height']),
        ...createAll(dialect, index, {
          ...indexSchema,
          balance: without(indexSchema.balance, 'nfts'),
          assetStat: without(indexSchema.assetStat, 'nfts'),
        }),
      ];
    },
  },
  {
    version: 2,
    shared: () => [],
    chain: (dialect, number) => {
      const { balance, assetStat } = indexTablesOf(number);
      return [balance, assetStat].map((table) => addColumn(dialect, table, 'nfts'));
    },
    rows: function* (number) {
      yield* separateNfts(number);
      yield* addImportedOutputs(number);
    },
  },
  {
    version: 3,
    shared: () => [],
    chain: (dialect, number) => {
      const { asset } = tablesOf(number);
      const { blockTxIds: _, txOutputs: __, ...tables } = explorerSchema;
      return [...createAll(dialect, explorerTablesOf(number), tables), createIndex(asset, ['symbol']), createIndex(asset, ['name'])];
    },
    rows: addExplorerRows,
  },
  {
    version: 4,
    shared: (dialect) => createTable(dialect, signerKeyTable, signerKeySchema),
    chain: () => [],
  },
  {
    version: 5,
    shared: () => [],
    chain: (dialect, number) => createTable(dialect, explorerTablesOf(number).blockTxIds, explorerSchema.blockTxIds),
    rows: addTxIdTexts,
  },
  {
    version: 6,
    shared: () => [],
    chain: (dialect, number) => createTable(dialect, explorerTablesOf(number).txOutputs, explorerSchema.txOutputs),
    rows: addTxOutputs,
  },
];

/** The migrations from a version to the newest, oldest first. */
export const migrationsAfter = (version: number): readonly Migration[] => migrations.filter((migration) => migration.version > version);

export const newestVersion = Math.max(...migrations.map(({ version }) => version));

const without = (table: Table, column: string): Table => ({
  ...table,
  columns: Object.fromEntries(Object.entries(table.columns).filter(([name]) => name !== column)),
});

function createAll<K extends string>(
  dialect: Dialect,
  names: { readonly [N in NoInfer<K>]: string },
  tables: { readonly [N in K]: Parameters<typeof createTable>[2] },
): string[] {
  return (Object.keys(tables) as K[]).flatMap((key) => createTable(dialect, names[key], tables[key]));
}
