import { describe, expect, test } from 'bun:test';
import type { Address } from '../../base/bytes/address.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { compare } from '../../base/bytes/octets.ts';
import { pack } from '../../base/codec/pack.ts';
import { faultOf } from '../../base/fault.fixture.ts';
import { type Output, TransferableOutput } from '../tx/output.ts';
import { makeUtxo, type Utxo } from '../tx/utxo.ts';
import { byReference, fund, inputFor, sumNeeded } from './funding.ts';
import { type Key, watchOnlyKey } from './key.ts';
import { baseTx, createAsset, exportTx, importTx } from './transactions.ts';
import { findSigners, ownedBy, requireSigners, transfer, type Wallet } from './wallet.ts';

const [avax, gold, chain, other] = ['aa', 'bb', 'cc', 'dd'].map((two) => two.repeat(32)) as [Id, Id, Id, Id];
const [alice, bob, carol] = ['a1', 'b2', 'c3'].map((two) => watchOnlyKey(two.repeat(20) as Address)) as [Key, Key, Key];
const wallet: Wallet = {
  keys: [alice, bob],
  chainParams: { networkID: 1, blockchainID: chain, feeAsset: avax, txFee: 10n, createAssetTxFee: 100n },
};
const txIDs = ['01', '02', '03', '04', '05'].map((two) => two.repeat(32) as Id);
const coin = (amount: bigint, { asset = avax, owner = ownedBy([alice]), at = 0, index = 0 } = {}): Utxo =>
  makeUtxo(txIDs[at] as Id, index, asset, { kind: 'secp256k1fx.TransferOutput', amount, ...owner });
const mint: Output = { kind: 'secp256k1fx.MintOutput', ...ownedBy([alice]) };
const amountsOf = (outputs: readonly TransferableOutput[]) => outputs.map(({ assetID, output }) => [assetID, output.amount]);

describe('funding', () => {
  test('takes outputs in their order as long as something is missing; the rest is change for the first key', () => {
    const utxos = [coin(6n, { at: 4 }), coin(5n, { at: 1 }), coin(50n, { at: 2 })];
    const { base, signers } = fund(wallet, { utxos }, [], 10n);
    expect(base.inputs.map(({ txID, input }) => [txID, input.amount])).toEqual([
      [txIDs[1] as Id, 5n],
      [txIDs[4] as Id, 6n],
    ]);
    expect([base.outputs, signers]).toEqual([[transfer(avax, 1n, ownedBy([alice]))], [[alice], [alice]]]);
    expect([base.networkID, base.blockchainID, base.memo]).toEqual([1, chain, new Uint8Array(0)]);
  });

  test('has no change if it is exact, and gives it to the named owner', () => {
    expect(fund(wallet, { utxos: [coin(10n)] }, [], 10n).base.outputs).toEqual([]);
    const change = ownedBy([carol], 1, 5n);
    const memo = new Uint8Array([7]);
    const { base } = fund(wallet, { utxos: [coin(11n)], change, memo }, [], 10n);
    expect([base.outputs, base.memo]).toEqual([[transfer(avax, 1n, change)], memo]);
  });

  test('covers each asset by its own outputs; those of others, without keys, locked or of another kind are left', () => {
    const utxos = [
      coin(99n, { owner: ownedBy([carol]) }),
      coin(99n, { owner: ownedBy([alice, carol], 2), at: 1 }),
      coin(99n, { owner: ownedBy([alice], 1, 50n), at: 2 }),
      makeUtxo(txIDs[3] as Id, 0, avax, mint),
      coin(3n, { asset: gold, at: 3, index: 1 }),
      coin(12n, { owner: ownedBy([alice, bob], 2), at: 4 }),
      coin(9n, { asset: gold, at: 4, index: 1 }),
    ];
    const { base, signers } = fund(wallet, { utxos, now: 49n }, [transfer(gold, 7n, ownedBy([carol]))], 10n);
    expect(base.inputs.map(({ assetID, input }) => [assetID, input.amount])).toEqual([
      [gold, 3n],
      [avax, 12n],
      [gold, 9n],
    ]);
    expect(amountsOf(base.outputs)).toEqual([
      [avax, 2n],
      [gold, 5n],
    ]);
    expect(signers).toEqual([[alice], [alice, bob], [alice]]);
    expect(fund(wallet, { utxos: [coin(10n, { owner: ownedBy([alice], 1, 50n) })], now: 50n }, [], 10n).base.inputs).toHaveLength(1);
  });

  test('that is not enough says what there is and what is needed', () => {
    const sent = [transfer(gold, 7n, ownedBy([carol])), transfer(gold, 1n, ownedBy([carol])), transfer(avax, 2n, ownedBy([carol]))];
    expect([...sumNeeded(wallet, sent, 10n)]).toEqual([
      [avax, 12n],
      [gold, 8n],
    ]);
    const utxos = [coin(12n), coin(5n, { asset: gold, at: 1 })];
    expect(faultOf(() => fund(wallet, { utxos }, sent, 10n))).toEqual({
      ...{ code: 'WALLET_INSUFFICIENT_FUNDS', assetID: idText(gold), have: '5', need: '8' },
    });
    expect(faultOf(() => fund(wallet, { utxos: [] }, [], 10n))).toMatchObject({ have: '0', need: '10' });
    expect(faultOf(() => fund(wallet, { utxos: [] }, [], 0n))).toBeUndefined();
  });

  test('inputs are ordered by transaction, then by output', () => {
    const inputs = [coin(1n, { at: 1 }), coin(1n, { index: 10 }), coin(1n, { index: 9 })].map((utxo) => inputFor(wallet, utxo, undefined));
    expect(inputs.sort(byReference).map(({ input }) => [input.txID, input.outputIndex])).toEqual([
      [txIDs[0] as Id, 9],
      [txIDs[0] as Id, 10],
      [txIDs[1] as Id, 0],
    ]);
  });
});

describe('signers of an output', () => {
  test('are its owners that are keys, up to the threshold, by their positions', () => {
    const of = (owner: ReturnType<typeof ownedBy>, now?: bigint) => findSigners(wallet, coin(1n, { owner }), now);
    expect(of(ownedBy([alice, bob, carol], 2))).toEqual({ indices: [0, 1], keys: [alice, bob] });
    expect(of(ownedBy([carol, bob]))).toEqual({ indices: [0], keys: [bob] });
    expect(of(ownedBy([alice, bob, carol], 3))).toBeUndefined();
    expect([of(ownedBy([alice], 1, 1n)), of(ownedBy([alice], 1, 5n), 4n), of(ownedBy([alice], 1, 5n), 5n)?.keys]).toEqual([
      undefined,
      undefined,
      [alice],
    ]);
  });

  test('are required where the output must be spent', () => {
    const foreign = coin(1n, { owner: ownedBy([carol]) });
    expect(faultOf(() => requireSigners(wallet, foreign, undefined))).toEqual({ code: 'WALLET_CANNOT_SIGN', utxoID: idText(foreign.id) });
    const minted = makeUtxo(txIDs[0] as Id, 0, avax, mint);
    expect(faultOf(() => inputFor(wallet, minted, undefined))).toEqual({
      ...{ code: 'WALLET_WRONG_OUTPUT', utxoID: idText(minted.id), kind: 'secp256k1fx.MintOutput' },
    });
  });
});

describe('transactions', () => {
  const isSorted = (outputs: readonly TransferableOutput[]): boolean =>
    outputs
      .slice(1)
      .every((one, i) => compare(pack(TransferableOutput, outputs[i] as TransferableOutput), pack(TransferableOutput, one)) <= 0);
  const sent = [transfer(gold, 2n, ownedBy([carol])), transfer(avax, 4n, ownedBy([carol]))];
  const utxos = [coin(20n), coin(3n, { asset: gold, at: 1 })];

  test('a transfer has what is sent and the change, sorted', () => {
    const { unsigned } = baseTx(wallet, { utxos }, sent);
    expect([amountsOf(unsigned.outputs), isSorted(unsigned.outputs)]).toEqual([
      [
        [avax, 4n],
        [avax, 6n],
        [gold, 1n],
        [gold, 2n],
      ],
      true,
    ]);
  });

  test('an export has what is exported apart from the change', () => {
    const { unsigned } = exportTx(wallet, { utxos }, other, sent);
    if (unsigned.kind !== 'ExportTx') throw new TypeError('no export');
    expect([amountsOf(unsigned.exportedOutputs), amountsOf(unsigned.outputs), unsigned.destinationChain]).toEqual([
      [
        [avax, 4n],
        [gold, 2n],
      ],
      [
        [avax, 6n],
        [gold, 1n],
      ],
      other,
    ]);
  });

  test('an asset costs its own fee; its states are sorted', () => {
    const states = [
      {
        fxIndex: 1,
        outputs: [
          { kind: 'nftfx.MintOutput', groupID: 2, ...ownedBy([alice]) },
          { kind: 'nftfx.MintOutput', groupID: 1, ...ownedBy([alice]) },
        ],
      },
      { fxIndex: 0, outputs: [mint] },
    ] as const;
    const { unsigned } = createAsset(wallet, { utxos: [coin(105n)] }, { name: 'Gold', symbol: 'GLD', states });
    if (unsigned.kind !== 'CreateAssetTx') throw new TypeError('no asset');
    expect(unsigned.initialStates.map(({ fxIndex, outputs }) => [fxIndex, outputs.map((one) => 'groupID' in one && one.groupID)])).toEqual([
      [0, [false]],
      [1, [1, 2]],
    ]);
    expect([amountsOf(unsigned.outputs), unsigned.denomination, Buffer.from(unsigned.name).toString()]).toEqual([[[avax, 5n]], 0, 'Gold']);
  });

  test('an import pays its fee and what is sent from what it imports; only the rest comes from the funds', () => {
    const importOf = (imported: readonly Utxo[], more: readonly TransferableOutput[] = [], own: readonly Utxo[] = []) => {
      const { unsigned, signers } = importTx(wallet, { utxos: own }, other, imported, more);
      if (unsigned.kind !== 'ImportTx') throw new TypeError('no import');
      expect([unsigned.sourceChain, isSorted(unsigned.outputs), signers.length]).toEqual([
        other,
        true,
        unsigned.inputs.length + unsigned.importedInputs.length,
      ]);
      return {
        own: unsigned.inputs.length,
        imported: unsigned.importedInputs.map(({ input }) => input.amount),
        outputs: amountsOf(unsigned.outputs),
      };
    };
    expect(importOf([coin(7n, { at: 1 }), coin(8n)])).toEqual({ own: 0, imported: [8n, 7n], outputs: [[avax, 5n]] });
    expect(importOf([coin(10n)])).toEqual({ own: 0, imported: [10n], outputs: [] });
    // A part of the fee.
    expect(importOf([coin(4n)], [], [coin(9n, { at: 2 })])).toEqual({ own: 1, imported: [4n], outputs: [[avax, 3n]] });
    expect(faultOf(() => importOf([coin(4n)], [], [coin(5n, { at: 2 })]))).toMatchObject({ code: 'WALLET_INSUFFICIENT_FUNDS', need: '6' });
    // Nothing of the fee asset.
    const goldCoin = coin(5n, { asset: gold, at: 1 });
    expect(importOf([goldCoin], [transfer(gold, 2n, ownedBy([carol]))], [coin(10n)])).toEqual({
      ...{
        own: 1,
        imported: [5n],
        outputs: [
          [gold, 2n],
          [gold, 3n],
        ],
      },
    });
    // More is sent than imported.
    const more = importOf([goldCoin], [transfer(gold, 7n, ownedBy([carol]))], [coin(10n), coin(4n, { asset: gold, at: 3 })]);
    expect(more).toEqual({
      own: 2,
      imported: [5n],
      outputs: [
        [gold, 2n],
        [gold, 7n],
      ],
    });
  });
});
