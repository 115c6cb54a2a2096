import { expect, test } from 'bun:test';
import { nativeKeyCrypto } from '../../app/platform/key-crypto.ts';
import { makeUtxo, type Utxo } from '../../avm/tx/utxo.ts';
import { ewoqSecret } from '../../avm/wallet/accounts.ts';
import { createKey } from '../../avm/wallet/key.ts';
import { ownedBy, transfer } from '../../avm/wallet/wallet.ts';
import { withChecksum } from '../../base/bytes/end-checksum.ts';
import { type Id, zeroId } from '../../base/bytes/id.ts';
import type { LongWork } from '../../base/timing/long-work.ts';
import { findOutputs, maxInputs, type OutputReads, selectCoins } from './coin-selection.ts';

const key = createKey(ewoqSecret, nativeKeyCrypto);
const asset = 'aa'.repeat(32) as Id;
const other = 'bb'.repeat(32) as Id;

const coin = (index: number, amount: bigint, { assetID = asset, locktime = 0n } = {}): Utxo =>
  makeUtxo(zeroId, index, assetID, transfer(assetID, amount, ownedBy([key], 1, locktime)).output);

/** Reads of a list of outputs; `pages` counts the pages that were read. */
function readsOf(utxos: readonly Utxo[], pending: ReadonlySet<Id> = new Set()) {
  let pages = 0;
  const longWork: LongWork = { begin: () => () => undefined };
  const reads: OutputReads = {
    chainID: zeroId,
    longWork,
    isPending: (id) => pending.has(id),
    pendingTxs: () => [],
    utxoPage: (_chain, [address], start, limit) => {
      pages++;
      const from = utxos.findIndex(({ id }) => id === start.utxoID) + 1;
      const page = utxos.slice(from, from + limit);
      return { utxos: page.map(({ bytes }) => withChecksum(bytes)), end: { address: address!, utxoID: page.at(-1)?.id ?? zeroId } };
    },
  };
  return { reads, pages: () => pages };
}

const select = (utxos: readonly Utxo[], need: bigint, pending?: ReadonlySet<Id>) => {
  const { reads, pages } = readsOf(utxos, pending);
  return selectCoins(reads, [key], new Map([[asset, need]]), 100n).then((selection) => ({ ...selection, pages: pages() }));
};

test('the largest outputs are taken, as many as needed', async () => {
  const utxos = [coin(0, 1n), coin(1, 5n), coin(2, 3n), coin(3, 9n, { assetID: other })];
  expect((await select(utxos, 6n)).utxos.map(({ outputIndex }) => outputIndex)).toEqual([1, 2]);
  expect(await select(utxos, 10n)).toMatchObject({ isComplete: false, available: new Map([[asset, 9n]]) });
});

test('locked outputs and those in use by the mempool are left out', async () => {
  const utxos = [coin(0, 4n, { locktime: 101n }), coin(1, 3n), coin(2, 2n, { locktime: 100n })];
  expect((await select(utxos, 2n)).utxos.map(({ outputIndex }) => outputIndex)).toEqual([1]);
  expect((await select(utxos, 2n, new Set([utxos[1]!.id]))).utxos.map(({ outputIndex }) => outputIndex)).toEqual([2]);
});

test('several keys spend first what needs more than one of their signatures', async () => {
  const second = createKey(new Uint8Array(32).fill(7), nativeKeyCrypto);
  const third = createKey(new Uint8Array(32).fill(8), nativeKeyCrypto);
  const shared = (index: number, amount: bigint, threshold: number) =>
    makeUtxo(zeroId, index, asset, transfer(asset, amount, ownedBy([key, second, third], threshold)).output);
  const { reads } = readsOf([coin(0, 100n), shared(1, 5n, 2), shared(2, 50n, 3), shared(3, 6n, 1), shared(4, 7n, 2)]);
  const taken = async (keys: [typeof key, ...(typeof key)[]], need: bigint) =>
    (await selectCoins(reads, keys, new Map([[asset, need]]), 100n)).utxos.map(({ outputIndex }) => outputIndex);
  expect(await taken([key], 5n)).toEqual([0]);
  expect(await taken([key, second], 5n)).toEqual([4]);
  expect(await taken([key, second], 13n)).toEqual([4, 1, 0]);
  expect(await taken([key, second, third], 5n)).toEqual([2]);
});

test('reading stops when the outputs suffice, and after a fixed number of pages', async () => {
  const many = Array.from({ length: 70_000 }, (_, i) => coin(i, 1n));
  expect(await select([coin(70_000, 9n), ...many], 9n)).toMatchObject({ isComplete: true, pages: 1 });
  const { isComplete, pages, available } = await select(many, BigInt(maxInputs) + 1n);
  expect([isComplete, pages, available.get(asset)]).toEqual([false, 64, BigInt(maxInputs) + 1n]);
});

test('outputs that pass a test are found, at most as many as asked for', async () => {
  const utxos = Array.from({ length: 2000 }, (_, i) => coin(i, BigInt(i + 1)));
  const found = await findOutputs(readsOf(utxos).reads, [key], ({ outputIndex }) => outputIndex % 900 === 899, 5);
  expect(found.map(({ outputIndex }) => outputIndex)).toEqual([899, 1799]);
  expect(await findOutputs(readsOf(utxos).reads, [key], () => true, 3)).toHaveLength(3);
});
