import { expect, test } from 'bun:test';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, type Key, ownedBy, signDraft, transfer } from '../../../test/wallet-kit.ts';
import { makeBlock } from '../../avm/tx/block.ts';
import { effectsOf } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import { refId, type Utxo } from '../../avm/tx/utxo.ts';
import type { View } from '../../avm/view.ts';
import { type Address, addressFromBytes } from '../../base/bytes/address.ts';
import { hash160 } from '../../base/bytes/hash.ts';
import { zeroId } from '../../base/bytes/id.ts';
import { recoverNative } from '../../base/crypto/curve-native.ts';
import { recoverBatch } from '../../base/crypto/recovery-batch.ts';
import { createSignerKeys } from '../../base/crypto/signer-keys.ts';
import { createDiff } from '../../ledger/state/diff.ts';
import { createKeyRecovery } from './key-recovery.ts';
import type { FollowedBlock } from './ledger.ts';
import { trustingVerifier } from './trusting-verifier.ts';

const wallet = createWallet('keys', { count: 3, keys: [ewoq] });
const [, a, b, c] = wallet.keys as [Key, Key, Key, Key];

const viewOf = (utxos: readonly Utxo[]): View => ({
  utxo: (ref) => utxos.find(({ id }) => id === refId(ref)),
  asset: () => undefined,
  atomic: () => undefined,
  tx: () => undefined,
});

/** A block with transactions that spend these outputs, or outputs of each other. */
function followed(utxos: readonly Utxo[], txs: readonly Tx[]): FollowedBlock {
  const diff = createDiff(viewOf(utxos));
  for (const tx of txs) diff.apply(tx, effectsOf(tx));
  const block = makeBlock({ parentID: zeroId, height: 1n, time: 0n, txs: [...txs] });
  return { block, diff, preLinearizationUtxos: [], imported: new Map() };
}

/** Pays an amount of an output to owners; `keys` may sign, and the first of them gets the change. */
const pay = (from: Utxo, amount: bigint, to: readonly Key[], keys: readonly Key[] = wallet.keys): Tx =>
  signDraft(baseTx({ ...wallet, keys: [...keys] }, { utxos: [from] }, [transfer(from.assetID, amount, ownedBy(to))]));

const outputFor = (tx: Tx, ...owners: readonly Key[]): Utxo =>
  effectsOf(tx).created.find(({ output }) => output.addresses.join() === ownedBy(owners).addresses.join()) as Utxo;

function recovery(stored: readonly Key[], recoverOnThread?: (batch: Uint8Array) => Promise<Uint8Array | undefined>) {
  const keys = createSignerKeys();
  const asked: Address[][] = [];
  let recovered = 0;
  const recover = createKeyRecovery({
    keys,
    recoverOnThread,
    recoverKey: (...input) => {
      recovered++;
      return recoverNative(...input);
    },
    withoutKeys: async (addresses) => {
      asked.push([...addresses]);
      return addresses.filter((address) => !stored.some((key) => key.address === address));
    },
  });
  return { recover, keys, asked, recovered: () => recovered };
}

const addressOf = (publicKey: Uint8Array | undefined): Address | undefined => publicKey && addressFromBytes(hash160(publicKey));

const toA = pay(ewoqGenesisUtxo, 1_000_000_000n, [a]);
const fromA = pay(outputFor(toA, a), 500_000_000n, [b, c]);
const fromC = pay(outputFor(fromA, b, c), 100_000_000n, [a], [c]);

test('one signature is recovered for each sender whose key is not stored, also of an output that the same block creates', async () => {
  const { recover, keys, recovered } = recovery([]);
  const fromAAgain = pay(outputFor(fromC, a), 10_000_000n, [b]);
  await recover([followed([ewoqGenesisUtxo], [toA, fromA, fromC, fromAAgain])]);
  for (const { address } of [ewoq, a, c]) expect(addressOf(keys.get(address))).toBe(address);
  // One of two owners has signed; nothing shows the key of the other.
  expect(keys.get(b.address)).toBeUndefined();
  expect(recovered()).toBe(3);
});

test('nothing is recovered for senders whose keys are stored', async () => {
  const { recover, asked, recovered } = recovery([ewoq, a]);
  await recover([followed([ewoqGenesisUtxo], [toA, fromA])]);
  expect(asked).toEqual([[ewoq.address, a.address]]);
  expect(recovered()).toBe(0);
});

test('an address that owned an output with others before shows its key in the first transaction that it signs alone', async () => {
  const { recover, keys } = recovery([ewoq]);
  const toB = pay(outputFor(fromC, a), 10_000_000n, [b]);
  const fromB = pay(outputFor(toB, b), 1_000_000n, [a]);
  await recover([followed([outputFor(fromA, b, c)], [fromC, toB, fromB])]);
  for (const { address } of [a, b, c]) expect(addressOf(keys.get(address))).toBe(address);
});

test('the thread recovers the keys; if it fails, this thread does', async () => {
  const onThread = recovery([], async (batch) => recoverBatch(recoverNative, batch));
  const failing = recovery([], async () => undefined);
  for (const { recover, keys } of [onThread, failing]) {
    await recover([followed([ewoqGenesisUtxo], [toA])]);
    expect(addressOf(keys.get(ewoq.address))).toBe(ewoq.address);
  }
  expect([onThread.recovered(), failing.recovered()]).toEqual([0, 1]);
});

test('a trusted node may have any signatures, but no output that does not exist or is spent', () => {
  const unsigned = { ...toA, credentials: [] } as unknown as Tx;
  trustingVerifier.verifySpend(unsigned, viewOf([ewoqGenesisUtxo]));
  expect(() => trustingVerifier.verifySpend(unsigned, viewOf([]))).toThrow('not found');
  const spent = createDiff(viewOf([ewoqGenesisUtxo]));
  spent.apply(toA, effectsOf(toA));
  expect(() => trustingVerifier.verifySpend(unsigned, spent)).toThrow('not found');
});
