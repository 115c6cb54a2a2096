import { afterAll, describe, expect, test } from 'bun:test';
import { toHex } from '../bytes/hex.ts';
import { openDatabase } from '../platform/database-bun.ts';
import { openPostgres } from '../platform/postgres-bun.ts';
import type { NewBlock } from '../state/block-change.ts';
import { tablesOf } from '../state/schema.ts';
import { chainTables } from './chain-tables.ts';
import { checkIndex } from './check-index.ts';
import { type IndexedChain, type IndexedWorld, indexedWorld, indexTables } from './indexed-world.fixture.ts';
import { migratePostgres } from './migrate.ts';
import { type PostgresChain, postgresChain } from './postgres-chain.ts';
import type { Sql } from './sql.ts';
import { sqliteSql } from './sqlite-sql.ts';
import { follow } from './steps.ts';
import { worldGenesis } from './two-chains.fixture.ts';

const server = process.env.SERAC_TEST_POSTGRES;

describe.skipIf(server === undefined)(server === undefined ? 'PostgreSQL (left out: SERAC_TEST_POSTGRES is not set)' : 'PostgreSQL', () => {
  const admin = server === undefined ? undefined : openPostgres({ url: server, max: 1 });
  afterAll(() => admin?.close());

  /** An empty database with the tables for the chains of a world, gone afterwards. */
  const inDatabase = async (
    name: string,
    world: IndexedWorld,
    work: (sql: ReturnType<typeof openPostgres>, chains: PostgresChain[]) => Promise<void>,
  ) => {
    const database = `serac_index_writer_${process.pid}_${name}`;
    await admin?.all(`CREATE DATABASE ${database}`, []);
    const url = new URL(server as string);
    url.pathname = `/${database}`;
    const sql = openPostgres({ url: url.href, max: 2 });
    try {
      const numbers = await migratePostgres(
        sql,
        12345,
        world.chains.map(({ spec }) => ({ id: spec.id, genesis: worldGenesis })),
      );
      expect(numbers).toEqual(world.specs.map(({ number }) => number));
      const chains = world.specs.map((spec) => postgresChain(sql, spec));
      for (const [i, chain] of chains.entries()) {
        const { source } = world.chains[i] as IndexedChain;
        expect(await chain.isInitialized()).toBe(false);
        await chain.init(source.genesisTxs, source.first);
        await chain.init(source.genesisTxs, source.first);
      }
      await work(sql, chains);
    } finally {
      await sql.close();
      await admin?.all(`DROP DATABASE ${database} WITH (FORCE)`, []);
    }
  };

  const dump = async (sql: Sql, { specs }: IndexedWorld) => {
    const numbers = specs.map(({ number }) => number);
    const own = numbers.flatMap((number) =>
      (Object.keys(chainTables) as (keyof typeof chainTables)[]).map((key) => ({ name: tablesOf(number)[key], key: chainTables[key].key })),
    );
    const tables = new Map<string, string[]>();
    for (const { name, key } of [...own, ...indexTables(numbers)]) {
      const rows = await sql.all<{ [column: string]: unknown }>(`SELECT * FROM ${name} ORDER BY ${key.join(', ')}`, []);
      tables.set(
        name,
        rows.map((row) =>
          Object.entries(row)
            .map(([column, value]) => `${column}=${value instanceof Uint8Array ? toHex(value) : value}`)
            .sort()
            .join(' '),
        ),
      );
    }
    return tables;
  };

  test('keeps the same rows as SQLite, however many blocks come at once', async () => {
    const world = indexedWorld(openDatabase, 61);
    world.begin();
    await inDatabase('same', world, async (sql, chains) => {
      let waiting: { chain: IndexedChain; blocks: NewBlock[] } | undefined;
      const flush = async () => {
        if (waiting !== undefined) await chains[world.chains.indexOf(waiting.chain)]?.commit(waiting.blocks);
        waiting = undefined;
      };
      for (let i = 0; i < 120; i++) {
        const prepared = world.prepare();
        world.commit(prepared);
        if (waiting?.chain !== prepared.chain || i % 40 === 39) await flush();
        waiting ??= { chain: prepared.chain, blocks: [] };
        waiting.blocks.push(prepared);
      }
      await flush();
      expect(await dump(sql, world)).toEqual(await dump(sqliteSql(world.store), world));
      expect(await follow(sql, checkIndex(world.specs, 'postgres'))).toEqual([]);

      for (const [i, { state }] of world.chains.entries()) {
        const chain = chains[i] as PostgresChain;
        expect(await chain.lastAccepted()).toEqual(state.lastAccepted());
        for (const height of [0n, 1n, state.height()])
          expect(toHex((await chain.blockAt(height)) ?? new Uint8Array())).toBe(toHex(state.blockAt(height) ?? new Uint8Array()));
        expect(await chain.blockAt(state.height() + 1n)).toBeUndefined();
      }
    });
    world.close();
  }, 60_000);
});
