import { expect, test } from 'bun:test';
import { makeTx } from '../../avm/tx/tx.ts';
import { makeUtxo, refId, type Utxo } from '../../avm/tx/utxo.ts';
import { avax, codeOf, credential, fakeRecover, localContext, localRules, xChain } from '../../avm/verify/ledger.fixture.ts';
import type { ExpectedSignature } from '../../avm/verify/owners.ts';
import type { Asset, View } from '../../avm/view.ts';
import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import { createTxVerifier } from './tx-verifier.ts';

const alice = 'aa'.repeat(20) as Address;
const source = '22'.repeat(32) as Id;
const unlockTime = 1000n;
const coin = makeUtxo(source, 0, avax, {
  kind: 'secp256k1fx.TransferOutput',
  amount: 2_000_000n,
  locktime: unlockTime,
  threshold: 1,
  addresses: [alice],
});

const base = { networkID: 12345, blockchainID: xChain, memo: new Uint8Array(), outputs: [] };
const spendCoin = {
  txID: source,
  outputIndex: 0,
  assetID: avax,
  input: { kind: 'secp256k1fx.TransferInput' as const, amount: 2_000_000n, signatureIndices: [0] },
};

const viewOf = (utxos: readonly Utxo[], asset: Asset | undefined = { id: avax, fxs: [0] }): View => ({
  utxo: (ref) => utxos.find((utxo) => utxo.id === refId(ref)),
  asset: () => asset,
  atomic: (_, id) => (id === coin.id ? coin : undefined),
  tx: () => undefined,
});

/** A verifier that counts recovered signatures, with a clock that can be set. */
function createCountingVerifier() {
  const counts = { recovered: 0, now: unlockTime };
  const verifier = createTxVerifier({
    ...localContext,
    rules: localRules,
    now: () => counts.now,
    recover: (message, signature) => {
      counts.recovered++;
      return fakeRecover(message, signature);
    },
  });
  return { verifier, counts };
}

test('a verified transaction is refused on a view where its output or asset is missing, and before the output unlocks', () => {
  const { verifier, counts } = createCountingVerifier();
  const tx = makeTx({ kind: 'BaseTx', ...base, inputs: [spendCoin] }, [credential('secp256k1fx', alice)]);
  const verifyOn = (view: View) => codeOf(() => verifier.verifySpend(tx, view));
  expect(verifyOn(viewOf([coin]))).toBeUndefined();
  expect(verifyOn(viewOf([]))).toBe('TX_UTXO_NOT_FOUND');
  expect(verifyOn({ ...viewOf([coin]), asset: () => undefined })).toBe('TX_ASSET_NOT_FOUND');
  expect(verifyOn({ ...viewOf([coin]), asset: () => 'not-an-asset' })).toBe('TX_NOT_AN_ASSET');
  counts.now = unlockTime - 1n;
  expect(verifyOn(viewOf([coin]))).toBe('TX_TIME_LOCKED');
  counts.now = unlockTime;
  expect(verifyOn(viewOf([coin]))).toBeUndefined();
});

test('a transaction that failed is verified in full the next time', () => {
  const { verifier, counts } = createCountingVerifier();
  const bob = 'bb'.repeat(20) as Address;
  const tx = makeTx({ kind: 'BaseTx', ...base, inputs: [spendCoin] }, [credential('secp256k1fx', bob)]);
  for (let times = 0; times < 2; times++) expect(codeOf(() => verifier.verifySpend(tx, viewOf([coin])))).toBe('TX_WRONG_SIGNATURE');
  expect(counts.recovered).toBe(2);
});

test('an import is refused when its output was imported meanwhile', () => {
  const { verifier } = createCountingVerifier();
  const unsigned = { kind: 'ImportTx' as const, ...base, inputs: [], sourceChain: '00'.repeat(32) as Id, importedInputs: [spendCoin] };
  const tx = makeTx(unsigned, [credential('secp256k1fx', alice)]);
  verifier.verifySpend(tx, viewOf([]));
  expect(codeOf(() => verifier.verifySpend(tx, { ...viewOf([]), atomic: () => undefined }))).toBe('TX_UTXO_NOT_FOUND');
});

test('what another thread has found about a signature is not recovered again, also of an import', () => {
  const unsigned = { kind: 'ImportTx' as const, ...base, inputs: [], sourceChain: '00'.repeat(32) as Id, importedInputs: [spendCoin] };
  const bob = 'bb'.repeat(20) as Address;
  for (const tx of [
    makeTx({ kind: 'BaseTx', ...base, inputs: [spendCoin] }, [credential('secp256k1fx', alice)]),
    makeTx(unsigned, [credential('secp256k1fx', alice)]),
  ]) {
    const { verifier, counts } = createCountingVerifier();
    const [expected] = verifier.expectedSignatures(tx, viewOf([coin]));
    const set = (signer: ExpectedSignature['signer']) => Object.assign(expected as ExpectedSignature, { signer });
    set(bob);
    expect(codeOf(() => verifier.verifySpend(tx, viewOf([coin])))).toBe('TX_WRONG_SIGNATURE');
    set({ code: 'SIGNATURE_COMPRESSED' });
    expect(codeOf(() => verifier.verifySpend(tx, viewOf([coin])))).toBe('SIGNATURE_COMPRESSED');
    set(alice);
    for (let times = 0; times < 3; times++) verifier.verifySpend(tx, viewOf([coin]));
    expect(counts.recovered).toBe(0);
  }
});

test('after the expected signatures were listed, a transaction is still refused for every reason', () => {
  const bob = 'bb'.repeat(20) as Address;
  const verifyAfterListing = (signer: Address, view: View, now: bigint) => {
    const { verifier, counts } = createCountingVerifier();
    const tx = makeTx({ kind: 'BaseTx', ...base, inputs: [spendCoin] }, [credential('secp256k1fx', signer)]);
    expect(verifier.expectedSignatures(tx, viewOf([coin]))).toHaveLength(1);
    counts.now = now;
    return [1, 2].map(() => codeOf(() => verifier.verifySpend(tx, view)));
  };
  const twice = <T>(value: T) => [value, value];
  expect(verifyAfterListing(alice, viewOf([coin]), unlockTime)).toEqual(twice(undefined));
  expect(verifyAfterListing(bob, viewOf([coin]), unlockTime)).toEqual(twice('TX_WRONG_SIGNATURE'));
  expect(verifyAfterListing(alice, viewOf([]), unlockTime)).toEqual(twice('TX_UTXO_NOT_FOUND'));
  expect(verifyAfterListing(alice, { ...viewOf([coin]), asset: () => undefined }, unlockTime)).toEqual(twice('TX_ASSET_NOT_FOUND'));
  expect(verifyAfterListing(alice, viewOf([coin]), unlockTime - 1n)).toEqual(twice('TX_TIME_LOCKED'));
});

test('while it bootstraps, signatures and imports are not verified; what passed then is verified afterwards', () => {
  const { verifier, counts } = createCountingVerifier();
  const bob = 'bb'.repeat(20) as Address;
  const wronglySigned = makeTx({ kind: 'BaseTx', ...base, inputs: [spendCoin] }, [credential('secp256k1fx', bob)]);
  const importedInputs = [{ ...spendCoin, outputIndex: 9 }];
  const imported = makeTx({ kind: 'ImportTx', ...base, inputs: [], sourceChain: avax, importedInputs }, [credential('secp256k1fx', alice)]);
  verifier.setBootstrapping(true);
  for (const tx of [wronglySigned, imported]) verifier.verifySpend(tx, viewOf([coin]));
  expect(codeOf(() => verifier.verifySpend(wronglySigned, viewOf([])))).toBe('TX_UTXO_NOT_FOUND');
  expect([counts.recovered, verifier.expectedSignatures(wronglySigned, viewOf([coin]))]).toEqual([0, []]);
  verifier.setBootstrapping(false);
  expect(codeOf(() => verifier.verifySpend(wronglySigned, viewOf([coin])))).toBe('TX_WRONG_SIGNATURE');
  expect(codeOf(() => verifier.verifySpend(imported, viewOf([coin])))).toBeDefined();
});

test('a transaction without inputs, possible where the fee is 0, is valid until it is accepted', () => {
  const { verifier } = createCountingVerifier();
  const tx = makeTx({ kind: 'BaseTx', ...base, inputs: [] }, []);
  verifier.verifySpend(tx, viewOf([]));
  const later = { ...viewOf([]), tx: (id: Id) => (id === tx.id ? tx : undefined) };
  expect(codeOf(() => verifier.verifySpend(tx, later))).toBe('TX_ALREADY_ACCEPTED');
  const failed = verifier.explain(tx, later, (error) => error).filter(({ ok }) => ok === false);
  expect(failed.map(({ rule }) => rule)).toContain('new');
});
