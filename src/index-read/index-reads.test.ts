import { describe, test } from 'bun:test';
import { migratePostgres } from '../index/migrate.ts';
import { postgresChain } from '../index-postgres/postgres-chain.ts';
import { sqliteSql } from '../index-sqlite/sqlite-sql.ts';
import { openDatabase } from '../platform/database-bun.ts';
import { openPostgres } from '../platform/postgres-bun.ts';
import { chainID, genesisID } from '../state/random-chain.fixture.ts';
import { openReads } from './open-reads.ts';
import { readsContract } from './reads-contract.fixture.ts';
import { createReadsWorld } from './reads-world.fixture.ts';

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
      const world = createReadsWorld(openDatabase, seed);
      const numbers = await migratePostgres(
        sql,
        12345,
        world.beginnings.map(({ id }) => ({ id, genesis: genesisID })),
      );
      const chains = world.beginnings.map(({ id }, i) =>
        postgresChain(sql, { number: numbers[i] as number, id, feeAsset: world.feeAsset, completeFrom: 0 }),
      );
      for (const [i, { txs, first }] of world.beginnings.entries()) await chains[i]?.init(txs, first);
      let written = 0;
      return {
        world,
        reads: openReads(sql, { number: numbers[0] as number, id: chainID }),
        sync: async () => {
          for (const step of world.log.slice(written)) {
            await ('gone' in step ? chains[0]?.exported.take(step.gone) : chains[step.chain]?.commit([step.block]));
            written++;
          }
        },
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
