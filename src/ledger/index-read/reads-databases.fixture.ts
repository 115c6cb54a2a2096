import { openDatabase } from '../../app/platform/bun/database.ts';
import { openPostgres } from '../../app/platform/bun/postgres.ts';
import type { LongWork } from '../../base/timing/long-work.ts';
import { openPostgresChain } from '../../cluster/chain/postgres-chain.ts';
import type { PostgresDialect } from '../../cluster/postgres/postgres.ts';
import { joinStatements } from '../../cluster/postgres/statement-joiner.ts';
import { migratePostgres } from '../index/migrate.ts';
import { createSqliteSql } from '../index-sqlite/sqlite-sql.ts';
import { chainID, genesisID } from '../state/random-chain.fixture.ts';
import type { PinnedBlock } from './index-reads.ts';
import type { IndexUnderTest } from './index-under-test.fixture.ts';
import { openExplorerReads } from './open-explorer-reads.ts';
import { openReads } from './open-reads.ts';
import { openReadsChains } from './reads-chains.fixture.ts';

type ReadLimits = Parameters<typeof openReads>[3];

/** Test chains with their index in SQLite. */
export async function openSqliteReads(seed: number, longWork?: LongWork, limits?: ReadLimits): Promise<IndexUnderTest> {
  const testChains = openReadsChains(openDatabase, seed);
  const sql = createSqliteSql(testChains.store);
  const chain = { number: testChains.number, id: chainID, feeAsset: testChains.feeAsset };
  const reads = openReads(sql, chain, longWork, limits);
  const explorer = openExplorerReads(sql, { ...chain, hasInbound: true }, longWork);
  return { chains: testChains, reads, explorer, sync: async () => {}, close: async () => void testChains.close() };
}

/** Long, because these tests are not about a server that does not answer. */
const statementMilliseconds = 120_000;

/** Small, so that every read goes over several partitions. */
const partitionSize = 24;

/**
 * Test chains with their index in a database of its own on a PostgreSQL server. On the coordinator of a Citus cluster it is a schema of its own, whose tables
 * are divided.
 */
export async function openPostgresReads(
  server: string,
  seed: number,
  limits?: ReadLimits,
  dialect: PostgresDialect = 'postgres',
): Promise<IndexUnderTest> {
  const admin = openPostgres({ url: server, max: 1, statementMilliseconds });
  const name = `serac_reads_${crypto.randomUUID().replaceAll('-', '')}`;
  const url = new URL(server);
  if (dialect === 'citus') url.searchParams.set('schema', name);
  else url.pathname = `/${name}`;
  await admin.all(dialect === 'citus' ? `CREATE SCHEMA ${name}` : `CREATE DATABASE ${name}`, []);
  const sql = openPostgres({ url: url.href, statementMilliseconds, dialect });
  const testChains = openReadsChains(openDatabase, seed);
  const numbers = await migratePostgres(
    sql,
    12345,
    testChains.geneses.map(({ id }) => ({ id, genesis: genesisID })),
  );
  const chains = testChains.geneses.map(({ id }, i) =>
    openPostgresChain(sql, { number: numbers[i] as number, id, feeAsset: testChains.feeAsset, completeFrom: 0 }, { partitionSize }),
  );
  for (const [i, { txs, first }] of testChains.geneses.entries()) await chains[i]?.init(txs, first);
  const named = { number: numbers[0] as number, id: chainID, feeAsset: testChains.feeAsset };
  const plain = openReads(sql, named);
  let recent: PinnedBlock | undefined;
  const chain = { ...named, recentTip: () => recent };
  const join = () => joinStatements(sql, (run) => void setImmediate(run));
  const joined = join();
  let written = 0;
  return {
    chains: testChains,
    reads: openReads(joined, chain, undefined, limits),
    explorer: openExplorerReads(joined, { ...chain, hasInbound: false }, undefined, join()),
    sync: async () => {
      for (const step of testChains.log.slice(written)) {
        await ('unknownImports' in step ? chains[0]?.exported.markSpent(step.unknownImports) : chains[step.chain]?.commit([step.block]));
        written++;
      }
      // Every other time, as if the process had not been notified yet.
      recent = written % 2 === 0 ? undefined : await plain.tip();
    },
    close: async () => {
      testChains.close();
      await sql.close();
      await admin.all(dialect === 'citus' ? `DROP SCHEMA ${name} CASCADE` : `DROP DATABASE ${name} WITH (FORCE)`, []);
      await admin.close();
    },
  };
}
