import { describe, test } from 'bun:test';
import { openDatabase } from '../platform/database-bun.ts';
import { openPostgres } from '../platform/postgres-bun.ts';
import { chainID, genesisID, peerID } from '../state/random-chain.fixture.ts';
import { tablesOf } from '../state/schema.ts';
import type { Store } from '../store/store.ts';
import { chainTables } from './chain-tables.ts';
import { migratePostgres } from './migrate.ts';
import { openReads } from './open-reads.ts';
import { readsContract } from './reads-contract.fixture.ts';
import { createReadsWorld } from './reads-world.fixture.ts';
import type { SqlValue, WritableSql } from './sql.ts';
import { sqliteSql } from './sqlite-sql.ts';
import { indexSchema, indexTablesOf, sharedIndexSchema, type Table } from './tables.ts';

readsContract(
  'SQLite',
  async (seed) => {
    const world = createReadsWorld(openDatabase, seed);
    const reads = openReads(sqliteSql(world.store), { number: world.number, id: chainID });
    return { world, reads, sync: async () => {}, close: async () => world.close() };
  },
  4,
);

const server = process.env.SERAC_TEST_POSTGRES;

if (server === undefined) describe('PostgreSQL', () => test.skip('left out: SERAC_TEST_POSTGRES names no server', () => {}));
else
  readsContract(
    'PostgreSQL',
    async (seed) => {
      const admin = openPostgres({ url: server, max: 1 });
      const name = `serac_reads_${process.pid}_${seed}`;
      await admin.all(`CREATE DATABASE ${name}`, []);
      const url = new URL(server);
      url.pathname = `/${name}`;
      const sql = openPostgres({ url: url.href });
      const chains = [chainID, peerID].map((id) => ({ id, genesis: genesisID }));
      const [number = 0, other = 0] = await migratePostgres(sql, 12345, chains);
      const world = createReadsWorld(openDatabase, seed);
      return {
        world,
        reads: openReads(sql, { number, id: chainID }),
        sync: () => copy(world.store, sql, [number, other]),
        close: async () => {
          world.close();
          await sql.close();
          await admin.all(`DROP DATABASE ${name} WITH (FORCE)`, []);
          await admin.close();
        },
      };
    },
    2,
  );

/** All rows of the index, as SQLite has them, in one transaction. */
async function copy(store: Store, sql: WritableSql, numbers: readonly number[]): Promise<void> {
  const tables: (readonly [string, Table])[] = [
    ...Object.entries(sharedIndexSchema),
    ...numbers.flatMap((number) => [
      ...Object.entries(chainTables).map(([key, table]) => [tablesOf(number)[key as keyof typeof chainTables], table] as const),
      ...Object.entries(indexSchema).map(([key, table]) => [indexTablesOf(number)[key as keyof typeof indexSchema], table] as const),
    ]),
  ];
  await sql.write(async (tx) => {
    for (const [name, { columns }] of tables) {
      const names = Object.keys(columns);
      await tx.all(`DELETE FROM ${name}`, []);
      const rows = store.db.prepare<{ [column: string]: SqlValue }>(`SELECT ${names.join(', ')} FROM ${name}`).all();
      for (let at = 0; at < rows.length; at += rowsAtOnce) {
        const some = rows.slice(at, at + rowsAtOnce);
        const tuples = some.map(() => `(${names.map(() => '?').join(', ')})`).join(', ');
        const values = some.flatMap((row) => names.map((column) => row[column] as SqlValue));
        await tx.all(`INSERT INTO ${name}(${names.join(', ')}) VALUES ${tuples}`, values);
      }
    }
  });
}

const rowsAtOnce = 500;
