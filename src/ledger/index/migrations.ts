import { tablesOf } from '../state/schema.ts';
import type { Queries } from '../store/queries.ts';
import { chainTables, sharedTables } from './chain-tables.ts';
import { createIndex, createTable, type Dialect } from './ddl.ts';
import { storedProgressTable, txIdSchema, txIdTable } from './distribution.ts';
import { explorerSchema, explorerTablesOf } from './explorer-tables.ts';
import { indexSchema, indexTablesOf, sharedIndexSchema, signerKeySchema, signerKeyTable } from './tables.ts';

/**
 * A migration to a schema version; there are no downgrades. The shared tables and the tables of each chain have their own versions, since
 * a chain may be added later.
 */
export type Migration = {
  readonly version: number;
  readonly shared: (dialect: Dialect) => string[];
  readonly chain: (dialect: Dialect, number: number) => string[];
  /** Converts existing rows, after the statements and in the same transaction: for tables that stay small. */
  readonly rows?: (number: number, onTx: OnMigratedTx) => Queries<void>;
  /**
   * Converts existing rows of large tables. In PostgreSQL each call is a transaction of its own, while blocks are indexed and served: reads of
   * this version must work before and after, and rows that are written meanwhile have the new form. Converts some rows after the one with
   * the number `after`, and returns the number of the last; undefined if there are no more.
   */
  readonly background?: (number: number, after: number) => Queries<number | undefined>;
  /** Whether a program of the version before can read the tables of this version, also while rows are converted in the background. */
  readonly isReadableByPrevious?: boolean;
  /** Whether a program of this version can read the tables of the version before. */
  readonly readsPrevious?: boolean;
};

/** Called with the `seq` of the last transaction up to which a migration has converted rows. */
type OnMigratedTx = (seq: number) => void;

/**
 * All migrations, oldest first, numbered from 1. To change a table in a later release, add an entry here and let the entries before it still
 * create the old form: they use the current schema.
 */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    shared: (dialect) => [
      ...(dialect === 'sqlite' ? [] : createTable(dialect, 'chain', sharedTables.chain)),
      ...Object.entries({ ...sharedIndexSchema, [signerKeyTable]: signerKeySchema }).flatMap(([name, table]) =>
        createTable(dialect, name, table),
      ),
      ...(dialect === 'citus' ? createTable(dialect, storedProgressTable(dialect), sharedIndexSchema.progress) : []),
    ],
    chain: (dialect, number) => {
      const own = tablesOf(number);
      return [
        ...(dialect === 'sqlite' ? [] : createAll(dialect, own, chainTables)),
        ...(dialect === 'citus' ? createTable(dialect, txIdTable(dialect, own), txIdSchema) : []),
        createIndex(own.block, ['time', 'height']),
        createIndex(own.asset, ['symbol']),
        createIndex(own.asset, ['name']),
        ...createAll(dialect, indexTablesOf(number), indexSchema),
        ...createAll(dialect, explorerTablesOf(number), explorerSchema),
      ];
    },
  },
];

/** The migrations from a version to the newest, oldest first. */
export const migrationsAfter = (version: number, all = migrations): readonly Migration[] =>
  all.filter((migration) => migration.version > version);

export const newestVersionOf = (all: readonly Migration[]): number => Math.max(...all.map(({ version }) => version));

export const newestVersion = newestVersionOf(migrations);

function createAll<K extends string>(
  dialect: Dialect,
  names: { readonly [N in NoInfer<K>]: string },
  tables: { readonly [N in K]: Parameters<typeof createTable>[2] },
): string[] {
  return (Object.keys(tables) as K[]).flatMap((key) => createTable(dialect, names[key], tables[key]));
}
