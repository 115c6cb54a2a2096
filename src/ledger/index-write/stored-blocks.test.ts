import { expect, test } from 'bun:test';
import { checkIndex } from '../../../test/index-check/check-index.ts';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { makeTx } from '../../avm/tx/tx.ts';
import { migrateStore } from '../index/migrate.ts';
import { openIndexedChains } from '../index-sqlite/indexed-chains.fixture.ts';
import { openSqliteIndex } from '../index-sqlite/sqlite-index.ts';
import { getChainNumber } from '../state/chain-number.ts';
import { tablesOf } from '../state/schema.ts';
import { sqliteRunner } from '../store/sqlite-runner.ts';
import { createBlockGenerator, openTwoChains, twoChainIDs } from './two-chains.fixture.ts';

/** Batches in which stored blocks are indexed. Each limit keeps the memory of a batch small (stored-blocks.ts). */

/** Stores blocks without an index, says of each that it has so many bytes of transactions, and indexes them. Returns the blocks of each batch. */
function batchesOf(txBytes: (height: number) => number): number[] {
  const testChains = openIndexedChains(openDatabase, 26);
  testChains.begin(false);
  const [chain] = testChains.chains;
  if (chain === undefined) throw new Error('no chain');
  while (chain.state.height() < 8n) testChains.commit(testChains.prepare(chain), false);
  const update = testChains.store.db.prepare(`UPDATE ${tablesOf(chain.spec.number).block} SET tx_bytes = ? WHERE height = ?`);
  for (let height = 1; height <= 8; height++) update.run(txBytes(height), height);
  const ends = [...chain.index.catchUp()].map(({ done }) => done);
  testChains.close();
  return ends.map((end, i) => end - (ends[i - 1] ?? 0));
}

test('a batch of blocks has at most 1 MiB of transactions; a block with more is a batch of its own, and so is block 0', () => {
  expect(batchesOf(() => 100)).toEqual([1, 8]);
  expect(batchesOf(() => 1_048_576 / 4)).toEqual([1, 4, 4]);
  expect(batchesOf(() => 1_048_576 / 4 + 1)).toEqual([1, 3, 3, 2]);
  expect(batchesOf((height) => (height === 3 ? 5_000_000 : 100))).toEqual([1, 2, 1, 5]);
});

test('a genesis with more transactions than a batch, which are 8,192, is indexed whole', () => {
  const { store, states, close } = openTwoChains(openDatabase);
  const [id] = twoChainIDs;
  const { firstBlock, feeAsset, genesisTxs } = createBlockGenerator(27, id, []);
  const none = { networkID: 12345, blockchainID: id, outputs: [], inputs: [], denomination: 0, initialStates: [] };
  const more = Array.from({ length: 8193 }, (_, i) => {
    const name = Buffer.from(`Asset ${i}`);
    return makeTx({ kind: 'CreateAssetTx', ...none, memo: new Uint8Array(0), name, symbol: Buffer.from('A') }, []);
  });
  const spec = { number: getChainNumber(store, id), id, feeAsset, completeFrom: 0 };
  migrateStore(store, spec.number);
  states[0]?.init([...genesisTxs, ...more], firstBlock);
  const index = openSqliteIndex(store, spec);
  expect([...index.catchUp()]).toEqual([{ done: 1, total: 1 }]);
  expect(sqliteRunner(store.db)(checkIndex([spec], 'sqlite'))).toEqual([]);
  close();
});
