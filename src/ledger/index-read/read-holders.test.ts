import { expect, test } from 'bun:test';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { makeUtxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import { defaultCacheBytes, processCaches } from '../../base/cache/cache-budget.ts';
import { cacheTable } from '../../base/cache/cache-table.ts';
import { explorerTablesOf } from '../index/explorer-tables.ts';
import { indexTablesOf } from '../index/tables.ts';
import { createSqliteSql } from '../index-sqlite/sqlite-sql.ts';
import { chainID } from '../state/random-chain.fixture.ts';
import { tablesOf } from '../state/schema.ts';
import type { AssetHolder } from './explorer-reads.ts';
import { openReads } from './open-reads.ts';
import { createAssetListReads } from './read-asset-lists.ts';
import { createBlockReads } from './read-blocks.ts';
import { createHolderReads } from './read-holders.ts';
import { createOutputReads } from './read-outputs.ts';
import { queryRunnerOn, type RunQueries } from './read-runner.ts';
import { createTxReads } from './read-txs.ts';
import { openReadsChains } from './reads-chains.fixture.ts';

/** Lists of holders of a random chain: `kept` are brought up to date after every block, `made` are made again each time. */
function openLists(seed: number) {
  const chains = openReadsChains(openDatabase, seed);
  const { number } = chains;
  const read = { txs: 0, lists: 0 };
  const plain = createSqliteSql(chains.store);
  const sql: typeof plain = {
    ...plain,
    all: (text, values) => {
      if (text.includes(explorerTablesOf(number).assetOwner)) read.lists++;
      return plain.all(text, values);
    },
  };
  const tables = { ...tablesOf(number), ...indexTablesOf(number), ...explorerTablesOf(number) };
  const blocks = createBlockReads(sql.dialect, tables, chainID);
  const outputs = createOutputReads(tables, chainID, sql);
  const { txs, txSeqs } = createTxReads(tables, { id: chainID, feeAsset: chains.feeAsset }, blocks, outputs, sql.dialect);
  const counted: typeof txs = (seqs, ...rest) => {
    read.txs += seqs.length;
    return txs(seqs, ...rest);
  };
  const run = queryRunnerOn(sql);
  const kept = createHolderReads(sql, tables, { txSeqs, txs: counted }, run, 1e-6);
  const { tip } = openReads(sql, { number, id: chainID, feeAsset: chains.feeAsset });
  const { countsAt } = createAssetListReads(sql.dialect, tables, chainID, outputs);
  const asOf = async (asset: Id) => ({ pin: await tip(), oldest: (await run(() => countsAt(asset))).oldest });
  const holdersIn =
    (list: typeof kept) =>
    async (asset: Id): Promise<AssetHolder[]> =>
      list(asset, await asOf(asset), 0, 100);
  /** Runs that are waiting until `release` is called. */
  const held = { count: 0, release: () => {} };
  const released = new Promise<void>((resolve) => {
    held.release = resolve;
  });
  const runHeld: RunQueries = async (steps) => {
    held.count++;
    await released;
    return run(steps);
  };
  const shared = holdersIn(createHolderReads(sql, tables, { txSeqs, txs }, runHeld));
  const keptPage = async (asset: Id, offset: number, limit: number) => kept(asset, await asOf(asset), offset, limit);
  return {
    ...chains,
    held,
    shared,
    keptPage,
    kept: holdersIn(kept),
    made: (asset: Id) => holdersIn(createHolderReads(sql, tables, { txSeqs, txs }, run))(asset),
    read,
  };
}

test('a list that is brought up to date from transactions equals one that is made again', async () => {
  const { oracle, step, kept, made, read, close } = openLists(31);
  let changes = 0;
  const shown = new Map<Id, string>();
  for (let i = 0; i < 60; i++) {
    step();
    for (const asset of oracle.assetIDs()) {
      const holders = await kept(asset);
      expect(holders).toEqual(await made(asset));
      const text = holders.map(({ address, amount, nfts }) => `${address} ${amount} ${nfts}`).join();
      if (shown.get(asset) !== text) changes++;
      shown.set(asset, text);
    }
  }
  expect(changes).toBeGreaterThan(60);
  expect(read.txs).toBeGreaterThan(60);
  close();
});

test('outputs from before linearization, which no transaction tells of, are in a cached list', async () => {
  const { state, feeAsset, step, kept, made, close } = openLists(32);
  step();
  await kept(feeAsset);
  const address = 'ab'.repeat(20) as Address;
  const output = { kind: 'secp256k1fx.TransferOutput', amount: 77n, locktime: 0n, threshold: 1, addresses: [address] } as const;
  state.addPreLinearizationUtxos([makeUtxo('cd'.repeat(32) as Id, 0, feeAsset, { ...output, addresses: [...output.addresses] })]);
  expect(await kept(feeAsset)).toContainEqual({ address, amount: 77n, nfts: 0 });
  // This test does not index the output, so that only the cached list has it.
  expect(await made(feeAsset)).not.toContainEqual({ address, amount: 77n, nfts: 0 });
  close();
});

test('callers that ask for the same list at the same time share one read of the owners', async () => {
  const { feeAsset, step, shared, made, held, close } = openLists(33);
  for (let i = 0; i < 5; i++) step();
  const asked = Promise.all(Array.from({ length: 4 }, () => shared(feeAsset)));
  await Bun.sleep(0);
  held.release();
  const expected = await made(feeAsset);
  expect(expected.length).toBeGreaterThan(0);
  for (const holders of await asked) expect(holders).toEqual(expected);
  expect(held.count).toBe(1);
  close();
});

test('a list that is longer than the cache has room for is cut, not made for every page', async () => {
  const { oracle, step, made, keptPage, read, close } = openLists(34);
  for (let i = 0; i < 60; i++) step();
  const lists = await Promise.all(oracle.assetIDs().map(async (asset) => ({ asset, all: await made(asset) })));
  const { asset, all } = lists.reduce((a, b) => (a.all.length >= b.all.length ? a : b));
  expect(all.length).toBeGreaterThan(2);
  // Room for one row.
  processCaches.resize(Math.ceil((4 * (400 + 40) * 1024) / cacheTable.holders.share));
  try {
    read.lists = 0;
    expect(await keptPage(asset, 0, 1)).toEqual(all.slice(0, 1));
    expect(await keptPage(asset, 0, 1)).toEqual(all.slice(0, 1));
    expect(read.lists).toBe(1);
    expect(await keptPage(asset, 1, 2)).toEqual(all.slice(1, 3));
    expect(await keptPage(asset, 0, 1)).toEqual(all.slice(0, 1));
    expect(read.lists).toBe(2);
  } finally {
    processCaches.resize(defaultCacheBytes);
    close();
  }
});
