import { openDatabase } from '../../app/platform/bun/database.ts';
import { openPostgres } from '../../app/platform/bun/postgres.ts';
import { indexCountersText, migratePostgres, toIndexCounters } from '../../ledger/index/migrate.ts';
import type { Sql } from '../../ledger/index/sql.ts';
import { type IndexedTestChain, openIndexedChains } from '../../ledger/index-sqlite/indexed-chains.fixture.ts';
import { twoChainsGenesis } from '../../ledger/index-write/two-chains.fixture.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { openPostgresChain } from './postgres-chain.ts';

/** A chain in a database of its own, which is dropped after the test. */
export type PostgresTestChain = {
  /** Opens another connection to the database. */
  readonly open: () => Postgres;
  /** The connection through which blocks are stored. */
  readonly sql: Postgres;
  readonly chain: IndexedTestChain;
  readonly geneses: Parameters<typeof migratePostgres>[2];
  /** Stores further blocks. */
  readonly grow: (blocks: number) => Promise<void>;
};

/** Runs work on a chain with block 0 in a database of its own on `server`. */
export async function withPostgresChain(
  server: string,
  { seed, partitionSize }: { readonly seed: number; readonly partitionSize?: number },
  work: (test: PostgresTestChain) => Promise<void>,
): Promise<void> {
  const admin = openPostgres({ url: server, max: 1, statementMilliseconds: 30_000 });
  const name = `serac_test_${crypto.randomUUID().replaceAll('-', '')}`;
  await admin.all(`CREATE DATABASE ${name}`, []);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const opened: Postgres[] = [];
  const open = (): Postgres => {
    const sql = openPostgres({ url: url.href, max: 1, statementMilliseconds: 30_000 });
    opened.push(sql);
    return sql;
  };
  const chains = openIndexedChains(openDatabase, seed);
  chains.begin();
  const chain = chains.chains[0] as IndexedTestChain;
  const geneses = [{ id: chain.spec.id, genesis: twoChainsGenesis }];
  try {
    const sql = open();
    await migratePostgres(sql, 12345, geneses);
    const stored = openPostgresChain(sql, chain.spec, partitionSize === undefined ? {} : { partitionSize });
    await stored.init(chain.source.genesisTxs, chain.source.firstBlock);
    const grow = async (blocks: number): Promise<void> => {
      for (let i = 0; i < blocks; i++) {
        const prepared = chains.prepare(chain);
        chains.commit(prepared);
        await stored.commit([prepared]);
      }
    };
    await work({ open, sql, chain, geneses, grow });
  } finally {
    chains.close();
    for (const sql of opened) await sql.close();
    await admin.all(`DROP DATABASE ${name} WITH (FORCE)`, []);
    await admin.close();
  }
}

/** What `serac api` watches in the index. */
export const readIndexCounters = async (sql: Sql) => toIndexCounters(await sql.all(indexCountersText, []));
