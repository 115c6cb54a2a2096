import { describe, expect, test } from 'bun:test';
import { effectsOf } from '../../avm/tx/effects.ts';
import { makeTx } from '../../avm/tx/tx.ts';
import type { UnsignedTx } from '../../avm/tx/unsigned.ts';
import { makeUtxo, type Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { sha256Hex } from '../../base/bytes/hash.ts';
import type { Id } from '../../base/bytes/id.ts';
import { computeBlockChange } from '../state/block-change.ts';
import { burnedAmount } from '../state/block-row.ts';
import type { NumberedUtxo } from '../state/utxo-table.ts';
import { blockFacts, createSupplySums } from './block-facts.ts';

const id = (text: string): Id => sha256Hex(Buffer.from(text)) as Id;
const [avax, gold, here, there] = ['avax', 'gold', 'here', 'there'].map(id) as [Id, Id, Id, Id];
const [ann, bob, eve] = ['a', 'b', 'e'].map((digit) => digit.repeat(40) as Address) as [Address, Address, Address];

const transfer = (amount: bigint, ...addresses: Address[]) => ({
  kind: 'secp256k1fx.TransferOutput' as const,
  amount,
  locktime: 0n,
  threshold: 1,
  addresses,
});
const output = (assetID: Id, amount: bigint, ...addresses: Address[]) => ({ assetID, output: transfer(amount, ...addresses) });
const utxoOf = (assetID: Id, amount: bigint, ...addresses: Address[]) =>
  makeUtxo(id(`${amount}`), 0, assetID, transfer(amount, ...addresses));
const input = ({ txID, outputIndex, assetID, output }: Utxo) => ({
  txID,
  outputIndex,
  assetID,
  input: {
    kind: 'secp256k1fx.TransferInput' as const,
    amount: output.kind === 'secp256k1fx.TransferOutput' ? output.amount : 0n,
    signatureIndices: [0],
  },
});
const base = { networkID: 1, blockchainID: here, memo: new Uint8Array(0), inputs: [], outputs: [] };
const signed = (unsigned: UnsignedTx) => makeTx(unsigned, []);

describe('the burned amount', () => {
  test('is inputs minus outputs of the fee asset', () => {
    const inputs = [utxoOf(avax, 1000n, ann), utxoOf(gold, 50n, ann)].map(input);
    const outputs = [output(avax, 900n, bob), output(gold, 20n, bob)];
    expect(burnedAmount(signed({ kind: 'BaseTx', ...base, inputs, outputs }), avax)).toBe(100n);
  });

  test('counts imported inputs and exported outputs', () => {
    const importedInputs = [utxoOf(avax, 1000n, ann)].map(input);
    expect(
      burnedAmount(signed({ kind: 'ImportTx', ...base, sourceChain: there, importedInputs, outputs: [output(avax, 999n, ann)] }), avax),
    ).toBe(1n);
    const inputs = [utxoOf(avax, 1000n, ann)].map(input);
    const exported = { destinationChain: there, exportedOutputs: [output(avax, 600n, ann)] };
    expect(burnedAmount(signed({ kind: 'ExportTx', ...base, inputs, outputs: [output(avax, 390n, ann)], ...exported }), avax)).toBe(10n);
  });
});

/** The facts of a block with these transactions, which consume the outputs `before`. */
function facts(txs: readonly UnsignedTx[], before: readonly Utxo[], imported: readonly Utxo[] = []) {
  const applied = txs.map((unsigned) => {
    const tx = signed(unsigned);
    return { tx, effects: effectsOf(tx) };
  });
  const consumed = new Map(before.map((utxo) => [utxo.id, utxo]));
  const numbered = (utxo: Utxo): NumberedUtxo => ({ utxo, seq: 1, height: 3, bytes: utxo.bytes });
  const change = computeBlockChange({ applied, consumed }, { height: 7, firstTx: 20, unspentRow: numbered, timeAt: Number });
  const block = { height: 7n, time: 5000n };
  return blockFacts({ ...change, block, applied, firstTx: 20, imported: new Map(imported.map((utxo) => [utxo.id, utxo])) }, avax);
}

describe('the facts of a block', () => {
  const coin = utxoOf(avax, 1000n, ann);
  const pay = { kind: 'BaseTx' as const, ...base, inputs: [input(coin)], outputs: [output(avax, 300n, bob), output(avax, 690n, ann, eve)] };

  test('have senders, involved addresses and changes of supplies', () => {
    const { senders, involved, supplyChanges, burned, txs } = facts([pay], [coin]);
    expect([...senders]).toEqual([ann]);
    expect([...involved].sort()).toEqual([ann, bob, eve].sort());
    expect(supplyChanges.get(avax)).toEqual({ units: -10n, nfts: 0 });
    expect(burned).toBe(10n);
    expect(txs).toMatchObject([{ seq: 20, kind: 0 }]);
  });

  test('have the owner of an output created and spent in the block as sender', () => {
    const [created] = effectsOf(signed(pay)).created as [Utxo];
    const next: UnsignedTx = { kind: 'BaseTx', ...base, inputs: [input(created)], outputs: [output(avax, 290n, eve)] };
    const { senders, txs } = facts([pay, next], [coin]);
    expect([...senders].sort()).toEqual([ann, bob].sort());
    expect(txs.map(({ addresses }) => [...addresses].sort())).toEqual([[ann, bob, eve].sort(), [bob, eve].sort()]);
  });

  test('name each address and asset of a transaction once, of few and of many outputs', () => {
    for (const count of [2, 30]) {
      const outputs = Array.from({ length: count }, (_, i) => output(avax, 10n, i % 2 === 0 ? bob : eve));
      const { txs } = facts([{ kind: 'BaseTx', ...base, inputs: [input(coin)], outputs }], [coin]);
      expect(txs.map(({ addresses, assets }) => [addresses, assets])).toEqual([[[ann, bob, eve], [avax]]]);
    }
  });

  test('have the owners of all inputs of a transaction as senders, and a new asset although it has no output', () => {
    const other = utxoOf(gold, 50n, bob);
    const create: UnsignedTx = {
      ...{ kind: 'CreateAssetTx', ...base, name: Buffer.from('Team'), symbol: Buffer.from('TEAM'), denomination: 0, initialStates: [] },
      inputs: [input(coin), input(other)],
    };
    const { senders, txs } = facts([create], [coin, other]);
    expect([...senders].sort()).toEqual([ann, bob]);
    expect([...(txs[0]?.assets ?? [])].sort()).toEqual([avax, gold, signed(create).id].sort());
  });

  test('involve owners of exported and imported outputs', () => {
    const foreignUtxo = utxoOf(gold, 77n, eve);
    const importTx: UnsignedTx = {
      kind: 'ImportTx',
      ...base,
      sourceChain: there,
      importedInputs: [input(foreignUtxo)],
      outputs: [output(gold, 77n, bob)],
    };
    const withUtxo = facts([importTx], [], [foreignUtxo]);
    expect([...withUtxo.senders]).toEqual([eve]);
    expect(withUtxo.supplyChanges.get(gold)).toEqual({ units: 77n, nfts: 0 });
    const withoutUtxo = facts([importTx], []);
    expect([...withoutUtxo.involved]).toEqual([bob]);
    expect([...(withoutUtxo.txs[0]?.assets ?? [])]).toEqual([gold]);
    const exportFields = { destinationChain: there, exportedOutputs: [output(avax, 990n, eve)] };
    const exportFacts = facts([{ kind: 'ExportTx', ...base, inputs: [input(coin)], ...exportFields }], [coin]);
    expect([...exportFacts.involved].sort()).toEqual([ann, eve].sort());
    expect(exportFacts.supplyChanges.get(avax)).toEqual({ units: -1000n, nfts: 0 });
  });
});

test('a supply counts units, and NFTs apart from them, by what is created less what is spent', () => {
  const { add, changes } = createSupplySums();
  const nft = makeUtxo(id('nft'), 0, gold, {
    ...{ kind: 'nftfx.TransferOutput', groupID: 1, payload: new Uint8Array(0) },
    ...{ locktime: 0n, threshold: 1, addresses: [ann] },
  });
  for (let i = 0; i < 3; i++) add(nft, 1n);
  add(nft, -1n);
  add(utxoOf(gold, 50n, ann), 1n);
  add(utxoOf(gold, 20n, ann), -1n);
  expect([...changes]).toEqual([[gold, { units: 30n, nfts: 2 }]]);
});
