import { expect, test } from 'bun:test';
import scenario from '../../../vectors/scenario.json' with { type: 'json' };
import vectors from '../../../vectors/vectors.json' with { type: 'json' };
import { toHex } from '../../base/bytes/hex.ts';
import { consumedIds, effectsOf } from '../tx/effects.ts';
import { makeTx, type Tx } from '../tx/tx.ts';
import { makeUtxo, type Utxo } from '../tx/utxo.ts';
import { type Key, watchOnlyKey } from './key.ts';
import { nftTransfer } from './operations.ts';
import { addSignatures, missingSigners } from './signatures.ts';
import { parseKey, parseTxText, parseUtxoText } from './texts.ts';
import { importTx } from './transactions.ts';
import { type ChainParams, type Draft, ownedBy, signDraft, type Wallet } from './wallet.ts';

/** Transactions that AvalancheGo accepted, with their signatures taken away and added again. */

const txs = vectors.txs.map(({ signedHex }) => parseTxText(signedHex));
const keys = [...vectors.keys, ...Object.values(scenario.keys)].map(({ privateKeyHex }) => parseKey(privateKeyHex));
const utxos = [...txs.flatMap((tx) => effectsOf(tx).created), ...vectors.utxos.map(({ hex }) => parseUtxoText(hex))];

/** The outputs that a transaction spends, if all are known. */
function findSpent(tx: Tx): Utxo[] | undefined {
  const spent = consumedIds(tx).map((id) => utxos.find((utxo) => utxo.id === id));
  return spent.every((utxo) => utxo !== undefined) ? spent : undefined;
}

const withoutSignatures = ({ unsigned, credentials }: Tx): Tx =>
  makeTx(
    unsigned,
    credentials.map((one) => ('signatures' in one ? { ...one, signatures: one.signatures.map(() => new Uint8Array(65)) } : one)),
  );

test('signing what others have left empty gives the same bytes, in whatever order the keys sign', () => {
  const kinds = new Set<string>();
  for (const tx of txs) {
    const spent = findSpent(tx);
    if (spent === undefined) continue;
    let signed = withoutSignatures(tx);
    const missing = missingSigners(signed, spent);
    expect(missing.length).toBeGreaterThan(0);
    for (const [left, address] of [...missing.entries()].reverse()) {
      const key = keys.find((one) => one.address === address);
      if (key === undefined) throw new Error(`no key of ${address}`);
      signed = addSignatures(signed, spent, [key]);
      expect(missingSigners(signed, spent)).toEqual(missing.slice(0, left));
    }
    expect(toHex(signed.bytes)).toBe(toHex(tx.bytes));
    const { unsigned } = tx;
    kinds.add(unsigned.kind === 'OperationTx' ? unsigned.operations.map(({ operation }) => operation.kind).join() : unsigned.kind);
  }
  expect([...kinds].sort()).toEqual([
    'BaseTx',
    'CreateAssetTx',
    'nftfx.MintOperation',
    'propertyfx.BurnOperation',
    'propertyfx.MintOperation',
    'secp256k1fx.MintOperation',
    'secp256k1fx.MintOperation,nftfx.MintOperation,propertyfx.MintOperation',
  ]);
});

test('two owners sign an import and a transfer of an NFT one after the other', () => {
  const [first, second] = keys as [Key, Key];
  const owners = ownedBy([first, second], 2);
  const { txID, assetID: feeAsset } = utxos[0] as Utxo;
  const chainParams: ChainParams = { networkID: 1, blockchainID: txID, feeAsset, txFee: 1n, createAssetTxFee: 1n };
  const coin = makeUtxo(txID, 7, feeAsset, { kind: 'secp256k1fx.TransferOutput', amount: 9n, ...owners });
  const nft = makeUtxo(txID, 8, feeAsset, { kind: 'nftfx.TransferOutput', groupID: 0, payload: new Uint8Array(1), ...owners });
  const build = (wallet: Wallet): readonly Draft[] => [
    importTx(wallet, { utxos: [] }, txID, [coin]),
    nftTransfer(wallet, { utxos: [coin] }, nft, owners),
  ];
  const whole = build({ keys: [first, second], chainParams }).map(signDraft);
  const empty = build({ keys: [first, second].map(({ address }) => watchOnlyKey(address)), chainParams }).map(signDraft);
  for (const [i, tx] of empty.entries()) {
    const half = addSignatures(tx, [coin, nft], [second]);
    expect(missingSigners(half, [coin, nft])).toEqual([first.address]);
    expect(toHex(addSignatures(half, [nft, coin], [first]).bytes)).toBe(toHex(whole[i]?.bytes ?? new Uint8Array(0)));
  }
});

test('a key that only watches signs nothing, and an output that is not given is left alone', () => {
  const tx = txs.find((one) => findSpent(one) !== undefined) as Tx;
  const empty = withoutSignatures(tx);
  expect(addSignatures(empty, [], keys).id).toBe(empty.id);
  const watching = missingSigners(empty, findSpent(tx) ?? []).map(watchOnlyKey);
  expect(addSignatures(empty, findSpent(tx) ?? [], watching).id).toBe(empty.id);
});
