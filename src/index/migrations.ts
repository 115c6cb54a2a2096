import { tablesOf } from '../state/schema.ts';
import { chainTables, sharedTables } from './chain-tables.ts';
import { createIndex, createTable, type Dialect } from './ddl.ts';
import { indexSchema, indexTablesOf, sharedIndexSchema } from './tables.ts';

/** A step forward; there is none back. What all chains share and what each has of its own have versions of their own: chains come later. */
export type Migration = {
  readonly version: number;
  readonly shared: (dialect: Dialect) => string[];
  readonly chain: (dialect: Dialect, number: number) => string[];
};

/** Whoever changes a table adds a row here, and writes into the rows before it what they made until then. */
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
        ...createAll(dialect, index, indexSchema),
      ];
    },
  },
];

/** What brings a part from a version to the newest. */
export const statementsAfter = (version: number, of: (migration: Migration) => string[]): string[] =>
  migrations.filter((migration) => migration.version > version).flatMap(of);

export const newestVersion = Math.max(...migrations.map(({ version }) => version));

function createAll<K extends string>(
  dialect: Dialect,
  names: { readonly [N in NoInfer<K>]: string },
  tables: { readonly [N in K]: Parameters<typeof createTable>[2] },
): string[] {
  return (Object.keys(tables) as K[]).flatMap((key) => createTable(dialect, names[key], tables[key]));
}
