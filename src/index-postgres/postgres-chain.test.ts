import { afterAll, describe, expect, test } from 'bun:test';
import { sha256Hex } from '../bytes/hash.ts';
import { toHex } from '../bytes/hex.ts';
import type { Id } from '../bytes/id.ts';
import { chainTables } from '../index/chain-tables.ts';
import { learnedPostgres, migratePostgres } from '../index/migrate.ts';
import type { Sql } from '../index/sql.ts';
import { runSteps } from '../index/steps.ts';
import { checkIndex } from '../index-check/check-index.ts';
import { type IndexedChain, type IndexedWorld, indexedWorld, indexTables, type Prepared } from '../index-sqlite/indexed-world.fixture.ts';
import { sqliteSql } from '../index-sqlite/sqlite-sql.ts';
import { worldGenesis } from '../index-write/two-chains.fixture.ts';
import { openDatabase } from '../platform/database-bun.ts';
import { openPostgres } from '../platform/postgres-bun.ts';
import type { NewBlock } from '../state/block-change.ts';
import { tablesOf } from '../state/schema.ts';
import { parseBlock } from '../tx/block.ts';
import { effectsOf } from '../tx/effects.ts';
import type { Output } from '../tx/output.ts';
import { makeUtxo, type Utxo } from '../tx/utxo.ts';
import { type PostgresChain, postgresChain } from './postgres-chain.ts';

const server = process.env.SERAC_TEST_POSTGRES;

const byId = (a: { readonly id: Id }, b: { readonly id: Id }): number => (a.id < b.id ? -1 : 1);

const exportsOf = (state: IndexedChain['state']): Utxo[] =>
  Array.from({ length: Number(state.height()) }, (_, i) => parseBlock(state.blockAt(BigInt(i + 1)) as Uint8Array)).flatMap(({ txs }) =>
    txs.flatMap((tx) => effectsOf(tx).exported?.utxos ?? []),
  );

describe.skipIf(server === undefined)(server === undefined ? 'PostgreSQL (left out: SERAC_TEST_POSTGRES is not set)' : 'PostgreSQL', () => {
  const admin = server === undefined ? undefined : openPostgres({ url: server, max: 1, statementMilliseconds: 30_000 });
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
    const sql = openPostgres({ url: url.href, max: 2, statementMilliseconds: 30_000 });
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
      expect(await runSteps(sql, checkIndex(world.specs, 'postgres'))).toEqual([]);

      // What was exported is found to be gone: the same again, and the answers that were kept know that the past has changed.
      const owners = [...new Set(world.chains.flatMap(({ state }) => exportsOf(state).flatMap(({ output }) => output.addresses)))];
      for (const [i, { index }] of world.chains.entries()) {
        const [here, there] = [index.exported, (chains[i] as PostgresChain).exported];
        const [open, same] = await Promise.all(
          [there, here].map(async (shelf) => (await Promise.all(owners.map(shelf.open))).flat().sort(byId)),
        );
        expect(open?.length).toBeGreaterThan(1);
        expect(open).toEqual(same);
        const before = await learnedPostgres(sql);
        for (let n = 0; n < 2; n++) for (const shelf of [here, there]) await shelf.take(open?.slice(1) ?? []);
        expect(await learnedPostgres(sql)).toBe(before + 1);
      }
      expect(await dump(sql, world)).toEqual(await dump(sqliteSql(world.store), world));
      expect(await runSteps(sql, checkIndex(world.specs, 'postgres'))).toEqual([]);

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

  test('takes the next blocks only, all of them or none', async () => {
    const world = indexedWorld(openDatabase, 62);
    world.begin();
    await inDatabase('order', world, async (sql, chains) => {
      const own = world.chains[0] as IndexedChain;
      const chain = chains[0] as PostgresChain;
      const blocks = Array.from({ length: 12 }, () => {
        const prepared = world.prepare(own);
        world.commit(prepared);
        return prepared;
      });
      const before = await dump(sql, world);
      const faultOf = (work: Promise<unknown>) =>
        work.then(
          () => undefined,
          (error) => (error as { fault?: { code: string } }).fault?.code ?? String(error),
        );
      expect(await faultOf(chain.commit(blocks.slice(1)))).toBe('INDEX_WRONG_PARENT');
      expect(await faultOf(chain.commit([...blocks.slice(0, 4), ...blocks.slice(5)]))).toBe('INDEX_WRONG_PARENT');
      const last = blocks[blocks.length - 1] as Prepared;
      const strangers = [...last.diff.consumed].map(([id, utxo]) => [id, { ...utxo, id: `${id.slice(2)}00` as Id }] as const);
      expect(strangers.length).toBeGreaterThan(0);
      const wrong = { ...last, diff: { ...last.diff, consumed: new Map(strangers) } };
      expect(await faultOf(chain.commit([...blocks.slice(0, -1), wrong]))).toBe('INDEX_MISSING_OUTPUT');
      expect(await dump(sql, world)).toEqual(before);
      await chain.commit([]);
      await chain.commit(blocks);
      expect(await chain.lastAccepted()).toEqual(own.state.lastAccepted());
      expect(await runSteps(sql, checkIndex(world.specs, 'postgres'))).toEqual([]);

      const utxos = blocks.flatMap(({ diff }) => diff.applied.flatMap(({ effects }) => [...effects.created]));
      const asset = own.source.feeAsset;
      const plain = blocks.flatMap(({ diff }) => diff.applied).find(({ tx }) => tx.unsigned.kind === 'BaseTx')?.tx.id as typeof asset;
      const nobody = '0'.repeat(64) as typeof asset;
      const held = await chain.load({ utxos: [...utxos.map(({ id }) => id), nobody], assets: [asset, plain, nobody] });
      expect([...held.utxos.keys()].sort()).toEqual(
        utxos
          .map(({ id }) => id)
          .filter((id) => own.state.utxo(id) !== undefined)
          .sort(),
      );
      for (const [id, utxo] of held.utxos) expect(utxo).toEqual(own.state.utxo(id) as typeof utxo);
      expect(held.spent.size + held.utxos.size).toBe(utxos.length);
      expect([...held.assets].sort()).toEqual(
        [
          [asset, { id: asset, fxs: [0] }],
          [plain, 'not-an-asset'],
        ].sort() as never,
      );
    });
    world.close();
  }, 60_000);

  test('adds outputs that are older than its blocks', async () => {
    const world = indexedWorld(openDatabase, 63);
    world.begin();
    await inDatabase('older', world, async (sql, chains) => {
      const own = world.chains[0] as IndexedChain;
      const chain = chains[0] as PostgresChain;
      const strangers = Array.from({ length: 30 }, (_, i) =>
        makeUtxo(
          sha256Hex(Buffer.from(`old ${i}`)) as Id,
          i,
          own.source.feeAsset,
          [...own.source.genesisTxs.flatMap((tx) => effectsOf(tx).created)][i % 12]?.output as Output,
        ),
      );
      const spec = { ...own.spec };
      for (let i = 0; i < 6; i++) {
        const prepared = world.prepare(own);
        const older = strangers.slice(i * 4, i * 4 + 2);
        own.state.commitAll([{ ...prepared, preLinearizationUtxos: older }], own.index.withinAll);
        await chain.commit([{ ...prepared, preLinearizationUtxos: older }]);
        own.state.addPreLinearizationUtxos(strangers.slice(i * 4, i * 4 + 4), own.index.withinOlder);
        await chain.addOlder(strangers.slice(i * 4, i * 4 + 4));
      }
      expect(await dump(sql, world)).toEqual(await dump(sqliteSql(world.store), world));
      expect(await runSteps(sql, checkIndex([spec], 'postgres'))).toEqual([]);
    });
    world.close();
  }, 60_000);
});
