import { describe, expect, test } from 'bun:test';
import { effectsOf } from '../src/avm/tx/effects.ts';
import { parseTx, type Tx, unsignedBytes } from '../src/avm/tx/tx.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import { refId } from '../src/avm/tx/utxo.ts';
import { type SpendContext, verifySpend } from '../src/avm/verify/spend.ts';
import { verifySyntax } from '../src/avm/verify/syntax.ts';
import type { View } from '../src/avm/view.ts';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { sha256 } from '../src/base/bytes/hash.ts';
import { fromHex, toHex } from '../src/base/bytes/hex.ts';
import { type Id, zeroId } from '../src/base/bytes/id.ts';
import { recoverNative } from '../src/base/crypto/curve-native.ts';
import { recoverSigner } from '../src/base/crypto/recover.ts';
import scenario from '../vectors/scenario.json' with { type: 'json' };
import vectors from '../vectors/vectors.json' with { type: 'json' };
import * as kit from './wallet-kit.ts';

const raw = (hex: string) => fromHex(hex.slice(2));
const keys = [...vectors.keys, ...Object.values(scenario.keys)].map((key) => kit.keyFrom(raw(key.privateKeyHex)));
const captured = vectors.txs.map((vector) => parseTx(raw(vector.signedHexNC)));

describe('signing transactions that AvalancheGo accepted gives the same bytes', () => {
  for (const tx of captured)
    test(`${tx.unsigned.kind} ${tx.id}`, () => {
      const hash = sha256(unsignedBytes(tx));
      const signers = tx.credentials.map((credential) => {
        if (!('signatures' in credential)) throw new Error('not a credential');
        return credential.signatures.map((signature) => keyOf(recoverSigner(recoverNative, hash, signature)));
      });
      expect(toHex(kit.sign(tx.unsigned, signers).bytes)).toBe(toHex(tx.bytes));
    });
});

describe('building transactions that AvalancheGo accepted gives the same bytes', () => {
  const [first] = captured as [Tx];
  const wallet = kit.createWallet('', { count: 0, keys: [kit.ewoq, ...keys] });

  test('a transfer with change', () => {
    if (first.unsigned.kind !== 'BaseTx') throw new Error('another first transaction');
    const sent = first.unsigned.outputs.slice(0, 1);
    const draft = kit.baseTx(wallet, { utxos: [kit.ewoqGenesisUtxo], memo: first.unsigned.memo }, sent);
    expect(toHex(kit.signDraft(draft).bytes)).toBe(toHex(first.bytes));
  });

  test('an asset, funded by the change of the transfer', () => {
    const tx = captured.find(({ unsigned }) => unsigned.kind === 'CreateAssetTx') as Tx;
    if (tx.unsigned.kind !== 'CreateAssetTx') throw new Error('unreachable');
    const { name, symbol, denomination, initialStates, inputs, outputs, memo } = tx.unsigned;
    const utxos = captured
      .flatMap((other) => effectsOf(other).created)
      .filter((utxo) => inputs.some((i) => i.txID === utxo.txID && i.outputIndex === utxo.outputIndex));
    const draft = kit.createAsset(
      wallet,
      { utxos, memo, change: kit.ownedBy(outputs[0]?.output.addresses ?? []) },
      { name: text(name), symbol: text(symbol), denomination, states: initialStates },
    );
    expect(toHex(kit.signDraft(draft).bytes)).toBe(toHex(tx.bytes));
  });
});

describe('every builder', () => {
  const wallet = kit.createWallet('every builder', { keys: [kit.ewoq] });
  const { chainParams } = wallet;
  const me = kit.ownedBy(wallet.keys.slice(0, 1));
  const both = kit.ownedBy(wallet.keys.slice(1, 3), 2);
  const asset = kit.signDraft(
    kit.createAsset(
      wallet,
      { utxos: [kit.ewoqGenesisUtxo] },
      {
        name: 'Every builder',
        symbol: 'EB',
        states: [
          {
            fxIndex: 2,
            outputs: [
              { kind: 'propertyfx.MintOutput', ...me },
              { kind: 'propertyfx.OwnedOutput', ...both },
            ],
          },
          {
            fxIndex: 1,
            outputs: [
              { kind: 'nftfx.TransferOutput', groupID: 1, payload: Buffer.from('art'), ...both },
              { kind: 'nftfx.MintOutput', groupID: 2, ...me },
            ],
          },
          {
            fxIndex: 0,
            outputs: [
              { kind: 'secp256k1fx.TransferOutput', amount: 7n, ...both },
              { kind: 'secp256k1fx.MintOutput', ...both },
            ],
          },
        ],
      },
    ),
  );
  const utxos = effectsOf(asset).created;
  const of = (kind: string) => utxos.find((utxo) => utxo.output.kind === kind && utxo.assetID === asset.id) as Utxo;
  const funds = { utxos };
  const counterpart = 'cc'.repeat(32) as Id;
  const byId = new Map(utxos.map((utxo) => [utxo.id, utxo]));
  const view: View = {
    utxo: (ref) => byId.get(refId(ref)),
    asset: (id) => (id === asset.id ? { id, fxs: [0, 1, 2] } : { id, fxs: [0] }),
    atomic: (_, id) => byId.get(id),
    tx: () => undefined,
  };
  const context: SpendContext = {
    chainID: chainParams.blockchainID,
    now: 0n,
    recover: (message, signature) => recoverSigner(recoverNative, sha256(message), signature),
    addressText: createAddressFormatter('X', 'local'),
    bootstrapped: true,
    subnetID: zeroId,
    subnetOf: () => zeroId,
  };
  const otherKey = kit.createWallet('other key').keys[0] as kit.Key;
  const drafts: Record<string, kit.Draft> = {
    baseTx: kit.baseTx(wallet, funds, [kit.transfer(asset.id, 3n, me), kit.transfer(chainParams.feeAsset, 5n, both)]),
    mint: kit.mint(wallet, funds, of('secp256k1fx.MintOutput'), 9n, me),
    nftMint: kit.nftMint(wallet, funds, of('nftfx.MintOutput'), Buffer.from('more art'), [me, both]),
    nftTransfer: kit.nftTransfer(wallet, funds, of('nftfx.TransferOutput'), me),
    propertyMint: kit.propertyMint(wallet, funds, of('propertyfx.MintOutput'), both),
    propertyBurn: kit.propertyBurn(wallet, funds, of('propertyfx.OwnedOutput')),
    importTx: kit.importTx(wallet, funds, counterpart, [of('secp256k1fx.TransferOutput')]),
    exportTx: kit.exportTx(wallet, funds, counterpart, [kit.transfer(chainParams.feeAsset, 11n, both), kit.transfer(asset.id, 2n, me)]),
  };

  test('createAsset: one output of every kind', () => expect(new Set(utxos.map(({ output }) => output.kind)).size).toBe(6));

  for (const [name, draft] of Object.entries(drafts))
    test(`${name} can be parsed, is valid and is signed by the owners`, () => {
      const tx = parseTx(kit.signDraft(draft).bytes);
      verifySyntax(tx, { ...chainParams, chainID: chainParams.blockchainID });
      verifySpend(tx, view, context);
      // A signature of another key is rejected, so the signatures are really checked.
      const wronglySigned = kit.sign(
        draft.unsigned,
        draft.signers.map((keys) => keys.map(() => otherKey)),
      );
      expect(() => verifySpend(wronglySigned, view, context)).toThrow('wrong signature');
    });

  test('a wallet without enough funds throws', () => {
    expect(() => kit.baseTx(kit.createWallet('other key'), funds, [])).toThrow('need 1000000');
    expect(() => kit.baseTx(wallet, funds, [kit.transfer(asset.id, 8n, me)])).toThrow('have 7 of asset');
  });

  test('the same seed gives the same keys', () => {
    const secrets = (seed: string) => kit.createWallet(seed).keys.map(({ secret }) => toHex(secret));
    expect(secrets('a')).toEqual(secrets('a'));
    expect(secrets('a')[0]).not.toBe(secrets('b')[0] as string);
  });
});

const keyOf = (address: string): kit.Key => keys.find((key) => key.address === address) as kit.Key;
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8');
