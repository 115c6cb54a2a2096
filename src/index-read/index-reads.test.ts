import { describe, test } from 'bun:test';
import { migratePostgres } from '../index/migrate.ts';
import { openPostgresChain } from '../index-postgres/postgres-chain.ts';
import { createSqliteSql } from '../index-sqlite/sqlite-sql.ts';
import { openDatabase } from '../platform/database-bun.ts';
import { openPostgres } from '../platform/postgres-bun.ts';
import { chainID, genesisID } from '../state/random-chain.fixture.ts';
import type { LongWork } from '../timing/long-work.ts';
import { openReads } from './open-reads.ts';
import { openReadsChains } from './reads-chains.fixture.ts';
import { readsContract } from './reads-contract.fixture.ts';

/** Pauses after every query; blocks may be written during a pause. */
const pauseAlways: LongWork = { begin: () => () => new Promise((resolve) => void setImmediate(resolve)) };

for (const [name, longWork] of [
  ['SQLite', undefined],
  ['SQLite with pauses', pauseAlways],
] as const)
  readsContract(
    name,
    async (seed) => {
      const testChains = openReadsChains(openDatabase, seed);
      const reads = openReads(createSqliteSql(testChains.store), { number: testChains.number, id: chainID }, longWork);
      return { chains: testChains, reads, sync: async () => {}, close: async () => testChains.close() };
    },
    longWork === undefined ? 4 : 2,
  );

const server = process.env.SERAC_TEST_POSTGRES;

if (server === undefined) describe('PostgreSQL', () => test.skip('skipped: SERAC_TEST_POSTGRES is not set', () => {}));
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
      const testChains = openReadsChains(openDatabase, seed);
      const numbers = await migratePostgres(
        sql,
        12345,
        testChains.geneses.map(({ id }) => ({ id, genesis: genesisID })),
      );
      const chains = testChains.geneses.map(({ id }, i) =>
        openPostgresChain(sql, { number: numbers[i] as number, id, feeAsset: testChains.feeAsset, completeFrom: 0 }),
      );
      for (const [i, { txs, first }] of testChains.geneses.entries()) await chains[i]?.init(txs, first);
      let written = 0;
      return {
        chains: testChains,
        reads: openReads(sql, { number: numbers[0] as number, id: chainID }),
        sync: async () => {
          for (const step of testChains.log.slice(written)) {
            await ('unknownImports' in step
              ? chains[0]?.exported.markSpent(step.unknownImports)
              : chains[step.chain]?.commit([step.block]));
            written++;
          }
        },
        close: async () => {
          testChains.close();
          await sql.close();
          await admin.all(`DROP DATABASE ${name} WITH (FORCE)`, []);
          await admin.close();
        },
      };
    },
    2,
  );
