import { expect, test } from 'bun:test';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { effectsOf } from '../../avm/tx/effects.ts';
import { makeUtxo, refId } from '../../avm/tx/utxo.ts';
import { type Address, addressFromBytes, addressToBytes } from '../../base/bytes/address.ts';
import { type Id, idToBytes, zeroId } from '../../base/bytes/id.ts';
import { migrateStore } from '../index/migrate.ts';
import type { Sql } from '../index/sql.ts';
import { openSqliteIndex } from '../index-sqlite/sqlite-index.ts';
import { createSqliteSql } from '../index-sqlite/sqlite-sql.ts';
import { createBlockGenerator, twoChainIDs, twoChainsGenesis } from '../index-write/two-chains.fixture.ts';
import { registerChain } from '../state/chain-number.ts';
import { openState } from '../state/chain-state.ts';
import { outputNumber } from '../state/output-number.ts';
import { openSharedMemory } from '../state/shared-memory.ts';
import { encodeStoredUtxo } from '../state/stored-utxo.ts';
import { memoryPath } from '../store/database.ts';
import { openStore } from '../store/store.ts';
import type { PinnedBlock, UtxoQuery } from './index-reads.ts';
import { openReads } from './open-reads.ts';

const [chainID] = twoChainIDs;

/**
 * A chain with blocks and with outputs from before linearization that were added after them, and reads that count rows and look for newer
 * transactions.
 */
function openLinearizedChain(recentTip?: () => PinnedBlock | undefined) {
  const store = openStore(openDatabase, { path: memoryPath, networkID: 12345, genesis: twoChainsGenesis });
  const state = openState(store, openSharedMemory(store), { id: chainID, genesis: twoChainsGenesis });
  const source = createBlockGenerator(3, chainID, []);
  const spec = { number: registerChain(store, chainID, twoChainsGenesis), id: chainID, feeAsset: source.feeAsset, completeFrom: 1 };
  migrateStore(store, spec.number);
  const index = openSqliteIndex(store, spec);
  const unknown = new Map(source.genesisTxs.flatMap((tx) => effectsOf(tx).created.map((utxo) => [utxo.id, utxo] as const)));
  state.init(source.genesisTxs, source.firstBlock, index.indexBlocks, 'unknown');
  for (let i = 0; i < 80; i++) {
    const { block, diff } = source.next({ ...state, utxo: (ref) => state.utxo(ref) ?? unknown.get(refId(ref)) }, 3);
    const preLinearizationUtxos = [...diff.consumed.values()].filter(({ id }) => unknown.delete(id));
    state.commitAll([{ block, diff, preLinearizationUtxos, imported: new Map() }], index.indexBlocks);
  }
  state.addPreLinearizationUtxos([...unknown.values()], index.indexPreLinearizationUtxos);
  const sql = createSqliteSql(store);
  let rows = 0;
  let looksForNewer = 0;
  const all: Sql['all'] = <Row>(text: string, values: Parameters<Sql['all']>[1]) => {
    const found = sql.all<Row>(text, values) as Row[];
    rows += found.length;
    if (text.includes('AS newer')) looksForNewer++;
    return found;
  };
  const reads = openReads({ ...sql, all }, { ...spec, ...(recentTip && { recentTip }) }, undefined, { min: 8 });
  const countRows = async (work: () => Promise<unknown>): Promise<number> => {
    rows = 0;
    await work();
    return rows;
  };
  return { store, state, reads, countRows, looksForNewer: () => looksForNewer };
}

const query: Omit<UtxoQuery, 'pin' | 'addresses'> = {
  asset: undefined,
  minAmount: 0n,
  includeSpent: true,
  sortBy: 'timestamp',
  order: 'asc',
  after: undefined,
  limit: 1000,
};

test('outputs from before linearization are listed before all others, although they were added last', async () => {
  const { store, reads } = openLinearizedChain();
  const owners = store.db.prepare<{ address: Uint8Array }>('SELECT DISTINCT address FROM c1_owner').all();
  const addresses = owners.map(({ address }) => addressFromBytes(address));
  const pin = await reads.tip();
  const list = async (order: 'asc' | 'desc') => (await reads.utxos({ ...query, pin, addresses, order })).outputs;
  const [oldest, newest] = [await list('asc'), await list('desc')];
  const times = oldest.map(({ time }) => time);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(oldest.filter(({ seq }) => seq < 0).length).toBeGreaterThan(3);
  expect(newest.map(({ seq }) => seq)).toEqual(oldest.map(({ seq }) => seq).toReversed());
  store.close();
});

test('the order by amount is kept until a revert: a further page reads only the outputs that it shows', async () => {
  const { store, reads, countRows } = openLinearizedChain();
  const busiest = 'SELECT address, count(*) AS count FROM c1_owner WHERE shelf < 2 GROUP BY address ORDER BY count DESC LIMIT 1';
  const { address, count } = store.db.prepare<{ address: Uint8Array; count: number }>(busiest).get()!;
  expect(count).toBeGreaterThan(30);
  const owner: Address = addressFromBytes(address);
  const pin = await reads.tip();
  const page = () => reads.utxos({ ...query, pin, addresses: [owner], sortBy: 'amount', limit: 2 });
  expect(await countRows(page)).toBeGreaterThanOrEqual(count);
  expect(await countRows(page)).toBeLessThan(count);
  store.revert(() => {});
  expect(await countRows(page)).toBeGreaterThanOrEqual(count);
  store.close();
});

test('newer transactions are looked for once for a last block that is still known after the outputs were read', async () => {
  let recent: PinnedBlock | undefined;
  const { store, reads, looksForNewer } = openLinearizedChain(() => recent);
  const { address } = store.db.prepare<{ address: Uint8Array }>('SELECT address FROM c1_owner').get()!;
  const pin = await reads.tip();
  const looks = async (at: PinnedBlock): Promise<number> => {
    const before = looksForNewer();
    await reads.utxos({ ...query, pin: at, addresses: [addressFromBytes(address)], includeSpent: false });
    return looksForNewer() - before;
  };
  expect([await looks(pin), await looks(pin)]).toEqual([1, 1]);
  recent = pin;
  expect([await looks(pin), await looks(pin)]).toEqual([1, 0]);
  // An equal block that was read again: something else of the index may have changed.
  recent = { ...pin };
  expect([await looks(pin), await looks(recent), await looks(recent)]).toEqual([1, 1, 0]);
  recent = undefined;
  expect(await looks(pin)).toBe(1);
  store.close();
});

test('outputs of an asset of which an address has few are read in the blocks that changed its balance, not among all others', async () => {
  const { store, reads, countRows } = openLinearizedChain();
  const pin = await reads.tip();
  const owner = addressFromBytes(new Uint8Array(20).fill(7));
  const [usual, rare] = ['a'.repeat(64), 'b'.repeat(64)] as [Id, Id];
  const addRow = store.db.prepare('INSERT INTO c1_owner VALUES (?, 0, ?, ?, ?)');
  const addBalance = store.db.prepare("INSERT INTO c1_balance VALUES (?, ?, x'', ?, x'01', 1, 0)");
  const blocks = store.db.prepare<{ height: number; first_tx: number }>('SELECT height, first_tx FROM c1_block WHERE height > 0').all();
  for (const { height, first_tx } of blocks) {
    const isRare = height === 40 || height === 70;
    for (let n = 0; n < 60; n++) {
      const assetID = isRare && n === 30 ? rare : usual;
      const owners = { locktime: 0n, threshold: 1, addresses: [owner] };
      const output = { kind: 'secp256k1fx.TransferOutput' as const, amount: BigInt(height), ...owners };
      const utxo = makeUtxo(zeroId, n, assetID, output);
      addRow.run(addressToBytes(owner), outputNumber(first_tx, 1000 + n), height, encodeStoredUtxo(utxo));
    }
    for (const asset of isRare ? [usual, rare] : [usual]) addBalance.run(addressToBytes(owner), idToBytes(asset), height);
  }
  const ofAsset = { ...query, pin, includeSpent: false, addresses: [owner], limit: 101 };
  for (const [order, heights] of [
    ['asc', [40n, 70n]],
    ['desc', [70n, 40n]],
  ] as const)
    for (const sortBy of ['timestamp', 'amount'] as const) {
      const read = async () => {
        const { outputs, readTo } = await reads.utxos({ ...ofAsset, asset: rare, order, sortBy });
        expect(outputs.map(({ utxo }) => [utxo.assetID, utxo.output])).toMatchObject(heights.map((amount) => [rare, { amount }]));
        // The list is known to end here.
        expect(readTo).toBeUndefined();
      };
      expect(await countRows(read)).toBeLessThan(2500);
    }
  expect(await countRows(() => reads.utxos({ ...ofAsset, asset: usual }))).toBeLessThan(300);
  expect(await countRows(() => reads.utxos({ ...ofAsset, limit: 1000 }))).toBeGreaterThan(900);
  store.close();
});
