import { afterAll, describe, expect, test } from 'bun:test';
import { checkIndex } from '../../../test/index-check/check-index.ts';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { openPostgres } from '../../app/platform/bun/postgres.ts';
import { parseBlock } from '../../avm/tx/block.ts';
import { effectsOf } from '../../avm/tx/effects.ts';
import type { Output } from '../../avm/tx/output.ts';
import { makeUtxo, type Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { sha256Hex } from '../../base/bytes/hash.ts';
import { toHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import { chainTables } from '../../ledger/index/chain-tables.ts';
import { migratePostgres } from '../../ledger/index/migrate.ts';
import { runOnPostgres } from '../../ledger/index/query-runner.ts';
import type { Sql } from '../../ledger/index/sql.ts';
import {
  type IndexedChains,
  type IndexedTestChain,
  openIndexedChains,
  type PreparedBlock,
  sortedIndexTables,
} from '../../ledger/index-sqlite/indexed-chains.fixture.ts';
import { createSqliteSql } from '../../ledger/index-sqlite/sqlite-sql.ts';
import { twoChainsGenesis } from '../../ledger/index-write/two-chains.fixture.ts';
import type { NewBlock } from '../../ledger/state/block-change.ts';
import { tablesOf } from '../../ledger/state/schema.ts';
import { openPostgresChain, type PostgresChain } from './postgres-chain.ts';
import { readIndexCounters } from './test-database.fixture.ts';

const server = process.env.SERAC_TEST_POSTGRES;

const byId = (a: { readonly id: Id }, b: { readonly id: Id }): number => (a.id < b.id ? -1 : 1);

const exportsOf = (state: IndexedTestChain['state']): Utxo[] =>
  Array.from({ length: Number(state.height()) }, (_, i) => parseBlock(state.blockAt(BigInt(i + 1)) as Uint8Array)).flatMap(({ txs }) =>
    txs.flatMap((tx) => effectsOf(tx).exported?.utxos ?? []),
  );

describe.skipIf(server === undefined)(server === undefined ? 'PostgreSQL (skipped: SERAC_TEST_POSTGRES is not set)' : 'PostgreSQL', () => {
  const admin = server === undefined ? undefined : openPostgres({ url: server, max: 1, statementMilliseconds: 30_000 });
  afterAll(() => admin?.close());

  /** Runs work in a new database with tables for the test chains, and drops it afterwards. */
  const inDatabase = async (
    name: string,
    testChains: IndexedChains,
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
        testChains.chains.map(({ spec }) => ({ id: spec.id, genesis: twoChainsGenesis })),
      );
      expect(numbers).toEqual(testChains.specs.map(({ number }) => number));
      const chains = testChains.specs.map((spec) => openPostgresChain(sql, spec, { partitionSize: 8 }));
      for (const [i, chain] of chains.entries()) {
        const { source } = testChains.chains[i] as IndexedTestChain;
        expect(await chain.isInitialized()).toBe(false);
        await chain.init(source.genesisTxs, source.firstBlock);
        await chain.init(source.genesisTxs, source.firstBlock);
      }
      await work(sql, chains);
    } finally {
      await sql.close();
      await admin?.all(`DROP DATABASE ${database} WITH (FORCE)`, []);
    }
  };

  const dump = async (sql: Sql, { specs }: IndexedChains) => {
    const numbers = specs.map(({ number }) => number);
    const own = numbers.flatMap((number) =>
      (Object.keys(chainTables) as (keyof typeof chainTables)[]).map((key) => ({ name: tablesOf(number)[key], key: chainTables[key].key })),
    );
    const tables = new Map<string, string[]>();
    for (const { name, key } of [...own, ...sortedIndexTables(numbers)]) {
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

  test('stores the public keys of senders once', async () => {
    const testChains = openIndexedChains(openDatabase, 67);
    testChains.begin();
    await inDatabase('keys', testChains, async (sql) => {
      const [chain] = testChains.chains as [IndexedTestChain];
      const asked: Address[] = [];
      const keyOf = (address: Address) => Buffer.from(address.repeat(2).slice(0, 66), 'hex');
      const publicKeyOf = (address: Address) => {
        asked.push(address);
        return keyOf(address);
      };
      for (let run = 0; run < 2; run++) {
        const writer = openPostgresChain(sql, chain.spec, { publicKeyOf });
        for (let i = 0; i < 20; i++) {
          const prepared = testChains.prepare(chain);
          testChains.commit(prepared);
          await writer.commit([prepared]);
        }
      }
      const rows = await sql.all<{ address: Uint8Array; public_key: Uint8Array }>('SELECT * FROM signer_key ORDER BY address', []);
      expect(rows.length).toBeGreaterThan(1);
      expect(rows.map(({ address }) => toHex(address))).toEqual([...new Set<string>(asked)].sort());
      for (const { address, public_key } of rows) expect(toHex(public_key)).toBe(toHex(keyOf(toHex(address) as Address)));
      // Asked once per writer: the second writer does not know what the first one has stored.
      expect(asked.length).toBeLessThanOrEqual(2 * rows.length);
    });
    testChains.close();
  });

  test('writes the same rows as SQLite for any number of blocks per commit', async () => {
    const testChains = openIndexedChains(openDatabase, 61);
    testChains.begin();
    await inDatabase('same', testChains, async (sql, chains) => {
      let batch: { chain: IndexedTestChain; blocks: NewBlock[] } | undefined;
      const flush = async () => {
        if (batch !== undefined) await chains[testChains.chains.indexOf(batch.chain)]?.commit(batch.blocks);
        batch = undefined;
      };
      for (let i = 0; i < 120; i++) {
        const prepared = testChains.prepare();
        testChains.commit(prepared);
        if (batch?.chain !== prepared.chain || i % 40 === 39) await flush();
        batch ??= { chain: prepared.chain, blocks: [] };
        batch.blocks.push(prepared);
      }
      await flush();
      expect(await dump(sql, testChains)).toEqual(await dump(createSqliteSql(testChains.store), testChains));
      expect(await runOnPostgres(sql, checkIndex(testChains.specs, 'postgres'))).toEqual([]);

      // Marks exported outputs as spent: the rows are the same again, and the backfill revision, which invalidates cached responses, rises.
      const owners = [...new Set(testChains.chains.flatMap(({ state }) => exportsOf(state).flatMap(({ output }) => output.addresses)))];
      for (const [i, { index }] of testChains.chains.entries()) {
        const [sqlite, postgres] = [index.exported, (chains[i] as PostgresChain).exported];
        const [unspent, expected] = await Promise.all(
          [postgres, sqlite].map(async (exported) => (await Promise.all(owners.map(exported.listUnspent))).flat().sort(byId)),
        );
        expect(unspent?.length).toBeGreaterThan(1);
        expect(unspent).toEqual(expected);
        const { revision: before } = await readIndexCounters(sql);
        for (let n = 0; n < 2; n++) for (const exported of [sqlite, postgres]) await exported.markSpent(unspent?.slice(1) ?? []);
        expect((await readIndexCounters(sql)).revision).toBeGreaterThan(before);
      }
      expect(await dump(sql, testChains)).toEqual(await dump(createSqliteSql(testChains.store), testChains));
      expect(await runOnPostgres(sql, checkIndex(testChains.specs, 'postgres'))).toEqual([]);

      for (const [i, { state }] of testChains.chains.entries()) {
        const chain = chains[i] as PostgresChain;
        expect(await chain.lastAccepted()).toEqual(state.lastAccepted());
        for (const height of [0n, 1n, state.height()])
          expect(toHex((await chain.blockAt(height)) ?? new Uint8Array())).toBe(toHex(state.blockAt(height) ?? new Uint8Array()));
        expect(await chain.blockAt(state.height() + 1n)).toBeUndefined();
      }
    });
    testChains.close();
  });

  test('accepts only the next blocks, all of them or none', async () => {
    const testChains = openIndexedChains(openDatabase, 62);
    testChains.begin();
    await inDatabase('order', testChains, async (sql, chains) => {
      const own = testChains.chains[0] as IndexedTestChain;
      const chain = chains[0] as PostgresChain;
      const blocks = Array.from({ length: 12 }, () => {
        const prepared = testChains.prepare(own);
        testChains.commit(prepared);
        return prepared;
      });
      const before = await dump(sql, testChains);
      const faultOf = (work: Promise<unknown>) =>
        work.then(
          () => undefined,
          (error) => (error as { fault?: { code: string } }).fault?.code ?? String(error),
        );
      expect(await faultOf(chain.commit(blocks.slice(1)))).toBe('INDEX_WRONG_PARENT');
      expect(await faultOf(chain.commit([...blocks.slice(0, 4), ...blocks.slice(5)]))).toBe('INDEX_WRONG_PARENT');
      const last = blocks[blocks.length - 1] as PreparedBlock;
      const unknown = [...last.diff.consumed].map(([id, utxo]) => [id, { ...utxo, id: `${id.slice(2)}00` as Id }] as const);
      expect(unknown.length).toBeGreaterThan(0);
      const wrong = { ...last, diff: { ...last.diff, consumed: new Map(unknown) } };
      expect(await faultOf(chain.commit([...blocks.slice(0, -1), wrong]))).toBe('INDEX_MISSING_OUTPUT');
      expect(await dump(sql, testChains)).toEqual(before);
      await chain.commit([]);
      await chain.commit(blocks);
      expect(await chain.lastAccepted()).toEqual(own.state.lastAccepted());
      expect(await runOnPostgres(sql, checkIndex(testChains.specs, 'postgres'))).toEqual([]);

      const utxos = blocks.flatMap(({ diff }) => diff.applied.flatMap(({ effects }) => [...effects.created]));
      const asset = own.source.feeAsset;
      const baseTx = blocks.flatMap(({ diff }) => diff.applied).find(({ tx }) => tx.unsigned.kind === 'BaseTx')?.tx.id as typeof asset;
      const unknownID = '0'.repeat(64) as typeof asset;
      const loaded = await chain.load({ utxos: [...utxos, { txID: unknownID, outputIndex: 0 }], assets: [asset, baseTx, unknownID] });
      expect([...loaded.utxos.keys()].sort()).toEqual(
        utxos
          .filter((utxo) => own.state.utxo(utxo) !== undefined)
          .map(({ id }) => id)
          .sort(),
      );
      for (const utxo of loaded.utxos.values()) expect(utxo).toEqual(own.state.utxo(utxo) as typeof utxo);
      expect(loaded.spent.size + loaded.utxos.size).toBe(utxos.length);
      expect([...loaded.assets].sort()).toEqual(
        [
          [asset, { id: asset, fxs: [0] }],
          [baseTx, 'not-an-asset'],
        ].sort() as never,
      );
    });
    testChains.close();
  });

  test('finds the outputs it has stored without asking the database, unless storing them failed', async () => {
    const testChains = openIndexedChains(openDatabase, 71);
    testChains.begin();
    await inDatabase('unspent', testChains, async (sql) => {
      const own = testChains.chains[0] as IndexedTestChain;
      const lookups: string[] = [];
      let failsAtEnd = false;
      const watched: typeof sql = {
        ...sql,
        all: (text, values) => {
          lookups.push(text);
          return sql.all(text, values);
        },
        write: (work) =>
          sql.write(async (tx) => {
            const result = await work(tx);
            if (failsAtEnd) throw new TypeError('the connection is lost');
            return result;
          }),
      };
      const chain = openPostgresChain(watched, own.spec);
      const next = (): PreparedBlock => {
        const prepared = testChains.prepare(own);
        testChains.commit(prepared);
        return prepared;
      };
      const createdBy = (blocks: readonly PreparedBlock[]) =>
        blocks.flatMap(({ diff }) => diff.applied.flatMap(({ effects }) => [...effects.created]));
      const stored = Array.from({ length: 12 }, next);
      await chain.commit(stored);
      const isUnspent = (utxo: Utxo) => own.state.utxo(utxo) !== undefined;
      const unspent = createdBy(stored).filter(isUnspent);
      expect(unspent.length).toBeGreaterThan(5);
      lookups.length = 0;
      const found = await chain.load({ utxos: unspent, assets: [] });
      expect([...found.utxos.values()]).toEqual(unspent);
      expect([...found.spent]).toEqual([]);
      expect(lookups).toEqual([]);

      const later = Array.from({ length: 8 }, next);
      failsAtEnd = true;
      await expect(chain.commit(later)).rejects.toThrow('the connection is lost');
      failsAtEnd = false;
      const lost = await chain.load({ utxos: createdBy(later), assets: [] });
      expect([lost.utxos.size, lost.spent.size]).toEqual([0, 0]);
      // Those that the failed blocks spend are still unspent.
      const before = await chain.load({ utxos: unspent, assets: [] });
      expect([before.utxos.size, before.spent.size]).toEqual([unspent.length, 0]);
      await chain.commit(later);
      const all = createdBy([...stored, ...later]);
      const loaded = await chain.load({ utxos: all, assets: [] });
      expect([...loaded.utxos.keys()].sort()).toEqual(
        all
          .filter(isUnspent)
          .map(({ id }) => id)
          .sort(),
      );
      expect(loaded.utxos.size + loaded.spent.size).toBe(all.length);
      expect(await runOnPostgres(sql, checkIndex(testChains.specs, 'postgres'))).toEqual([]);
    });
    testChains.close();
  });

  test('adds outputs from before linearization', async () => {
    const testChains = openIndexedChains(openDatabase, 63);
    testChains.begin();
    await inDatabase('pre_linearization', testChains, async (sql, chains) => {
      const own = testChains.chains[0] as IndexedTestChain;
      const chain = chains[0] as PostgresChain;
      const preLinearizationUtxos = Array.from({ length: 30 }, (_, i) =>
        makeUtxo(
          sha256Hex(Buffer.from(`old ${i}`)) as Id,
          i,
          own.source.feeAsset,
          [...own.source.genesisTxs.flatMap((tx) => effectsOf(tx).created)][i % 12]?.output as Output,
        ),
      );
      const spec = { ...own.spec };
      for (let i = 0; i < 6; i++) {
        const prepared = testChains.prepare(own);
        const added = preLinearizationUtxos.slice(i * 4, i * 4 + 2);
        own.state.commitAll([{ ...prepared, preLinearizationUtxos: added }], own.index.indexBlocks);
        await chain.commit([{ ...prepared, preLinearizationUtxos: added }]);
        own.state.addPreLinearizationUtxos(preLinearizationUtxos.slice(i * 4, i * 4 + 4), own.index.indexPreLinearizationUtxos);
        await chain.addPreLinearizationUtxos(preLinearizationUtxos.slice(i * 4, i * 4 + 4));
      }
      // One alone, and one that is known.
      for (const added of [preLinearizationUtxos.slice(24, 25), preLinearizationUtxos.slice(24, 25)]) {
        own.state.addPreLinearizationUtxos(added, own.index.indexPreLinearizationUtxos);
        await chain.addPreLinearizationUtxos(added);
      }
      expect(await dump(sql, testChains)).toEqual(await dump(createSqliteSql(testChains.store), testChains));
      expect(await runOnPostgres(sql, checkIndex([spec], 'postgres'))).toEqual([]);
    });
    testChains.close();
  });
});
