import { describe, expect, test } from 'bun:test';
import type { Address } from '../../base/bytes/address.ts';
import { type Id, idText, zeroId } from '../../base/bytes/id.ts';
import type { Credential } from '../tx/credential.ts';
import type { FxOperation } from '../tx/operation.ts';
import type { Output } from '../tx/output.ts';
import { makeTx } from '../tx/tx.ts';
import type { UnsignedTx } from '../tx/unsigned.ts';
import { makeUtxo, refId, type Utxo, utxoId } from '../tx/utxo.ts';
import type { Asset, View } from '../view.ts';
import { exemptions } from './exemptions.ts';
import { avax, cChain, credential, faultOf, localContext, pChain, xChain } from './ledger.fixture.ts';
import { type SpendContext, verifySpend } from './spend.ts';

const alice = 'aa'.repeat(20) as Address;
const bob = 'bb'.repeat(20) as Address;
const source = '22'.repeat(32) as Id;
const gold = '11'.repeat(32) as Id;
const owners = { locktime: 0n, threshold: 1, addresses: [alice] };
const amount = (n: bigint, more = {}): Output => ({ kind: 'secp256k1fx.TransferOutput', amount: n, ...owners, ...more });

/** A view in which the transaction `source` created these outputs, at index 0, 1, … */
function viewOf(outputs: Output[], { asset = gold, fxs = [0, 1, 2], atomic = [] as Output[] } = {}): View {
  const utxos = (list: Output[]) => new Map<Id, Utxo>(list.map((output, i) => [utxoId(source, i), makeUtxo(source, i, asset, output)]));
  const [local, shared] = [utxos(outputs), utxos(atomic)];
  const assets = new Map<Id, Asset | 'not-an-asset'>([
    [asset, { id: asset, fxs }],
    [source, 'not-an-asset'],
  ]);
  return {
    utxo: (ref) => local.get(refId(ref)),
    atomic: (chain, id) => (chain === pChain ? shared.get(id) : undefined),
    asset: (id) => assets.get(id),
    tx: () => undefined,
  };
}

const base = { networkID: 12345, blockchainID: xChain, outputs: [], inputs: [], memo: new Uint8Array() };
const input = (n: bigint, outputIndex = 0, assetID = gold) => ({
  txID: source,
  outputIndex,
  assetID,
  input: { kind: 'secp256k1fx.TransferInput' as const, amount: n, signatureIndices: [0] },
});
const output = (assetID: Id) => ({ assetID, output: amount(1n) as Extract<Output, { kind: 'secp256k1fx.TransferOutput' }> });
const byAlice = credential('secp256k1fx', alice);

const textOf = (unsigned: UnsignedTx, credentials: Credential[], view: View, context: Partial<SpendContext> = {}) =>
  faultOf(() => verifySpend(makeTx(unsigned, credentials), view, { ...localContext, ...context }))?.text;

describe('a plain transfer', () => {
  const pay = (...inputs: ReturnType<typeof input>[]): UnsignedTx => ({ kind: 'BaseTx', ...base, inputs });
  const prefix = 'failed to verify transfer: ';
  const table: [string, UnsignedTx, Credential, View, string | undefined][] = [
    ['by its owner', pay(input(5n)), byAlice, viewOf([amount(5n)]), undefined],
    [
      'of a missing output',
      pay(input(5n, 1)),
      byAlice,
      viewOf([amount(5n)]),
      `${prefix}failed to get utxo ${idText(utxoId(source, 1))}: not found`,
    ],
    ['of another asset', pay(input(5n, 0, avax)), byAlice, viewOf([amount(5n)]), `${prefix}asset IDs in the input don't match the utxo`],
    ['of an unknown asset', pay(input(5n)), byAlice, { ...viewOf([amount(5n)]), asset: () => undefined }, `${prefix}not found`],
    [
      'of a transaction that is not an asset',
      pay(input(5n, 0, source)),
      byAlice,
      viewOf([amount(5n)], { asset: source }),
      `${prefix}not an asset`,
    ],
    [
      'of an asset without the fx',
      pay(input(5n)),
      byAlice,
      viewOf([amount(5n)], { fxs: [1, 2] }),
      `${prefix}incompatible feature extension`,
    ],
    [
      'the asset is checked before the credential',
      pay(input(5n)),
      credential('nftfx', alice),
      viewOf([amount(5n)], { fxs: [0, 2] }),
      `${prefix}incompatible feature extension`,
    ],
    [
      'with a credential of another fx',
      pay(input(5n)),
      credential('nftfx', alice),
      viewOf([amount(5n)]),
      `${prefix}cant transfer with this fx`,
    ],
    [
      'the credential is checked before the output',
      pay(input(5n)),
      amount(1n),
      viewOf([{ kind: 'secp256k1fx.MintOutput', ...owners }]),
      `${prefix}wrong credential type`,
    ],
    ['of a mint output', pay(input(5n)), byAlice, viewOf([{ kind: 'secp256k1fx.MintOutput', ...owners }]), `${prefix}wrong utxo type`],
    [
      'of an invalid output: checked before its amount',
      pay(input(5n)),
      byAlice,
      viewOf([amount(4n, { threshold: 2 })]),
      `${prefix}output is unspendable`,
    ],
    [
      'of another amount: checked before the locktime',
      pay(input(5n)),
      byAlice,
      viewOf([amount(4n, { locktime: 1n << 60n })]),
      `${prefix}utxo amount and input amount are not equal: 4 != 5`,
    ],
  ];
  test.each(table)('%s', (_, tx, cred, view, text) => expect(textOf(tx, [cred], view)).toBe(text as string));

  test('a fault names the input and the output', () => {
    const tx = makeTx(pay(input(5n), input(6n, 1)), [byAlice, credential('secp256k1fx', bob)]);
    expect(faultOf(() => verifySpend(tx, viewOf([amount(5n), amount(6n)]), localContext))).toMatchObject({
      code: 'TX_WRONG_SIGNATURE',
      path: 'inputs[1]',
      utxoID: idText(utxoId(source, 1)),
      createdBy: idText(source),
      outputIndex: 1,
    });
  });

  test('to an unknown asset, or to a transaction that is not an asset', () => {
    const to = (assetID: Id): UnsignedTx => ({ kind: 'BaseTx', ...base, outputs: [output(assetID)] });
    expect(textOf(to(avax), [], viewOf([]))).toBe('failed to verify fx usage: not found');
    expect(textOf(to(source), [], viewOf([]))).toBe('failed to verify fx usage: not an asset');
    expect(textOf(to(gold), [], viewOf([], { fxs: [1] }))).toBe('failed to verify fx usage: incompatible feature extension');
    expect(textOf(to(gold), [], viewOf([]))).toBeUndefined();
  });
});

describe('imports and exports', () => {
  const importFrom = (sourceChain: Id, ...importedInputs: ReturnType<typeof input>[]): UnsignedTx => ({
    kind: 'ImportTx',
    ...base,
    sourceChain,
    importedInputs,
  });
  const exportTo = (destinationChain: Id, assetID = gold): UnsignedTx => ({
    kind: 'ExportTx',
    ...base,
    destinationChain,
    exportedOutputs: [output(assetID)],
  });
  const elsewhere = '33'.repeat(32) as Id;
  const shared = viewOf([], { atomic: [amount(5n), amount(0n)] });

  test('an import is from a chain of the same subnet', () => {
    expect(textOf(importFrom(pChain, input(5n)), [byAlice], shared)).toBeUndefined();
    expect(textOf(importFrom(cChain, input(5n)), [byAlice], shared)).toBe('not found');
    expect(textOf(importFrom(xChain, input(5n)), [byAlice], shared)).toBe('same chainID');
    const id = idText(elsewhere);
    const unknown = `failed to get subnet of "${id}": problem retrieving blockchain "${id}": not found`;
    expect(textOf(importFrom(elsewhere, input(5n)), [byAlice], shared)).toBe(unknown);
    expect(textOf(importFrom(elsewhere, input(5n)), [byAlice], shared, { subnetOf: () => gold })).toBe(
      `mismatched subnetIDs; expected "${idText(zeroId)}" got "${idText(gold)}"`,
    );
  });

  test('all imported outputs are fetched before the first is verified, and invalid ones are rejected', () => {
    const wrong = credential('secp256k1fx', bob);
    expect(textOf(importFrom(pChain, input(5n), input(5n, 9)), [wrong, wrong], shared)).toBe('not found');
    expect(textOf(importFrom(pChain, input(5n), input(5n, 1)), [byAlice, byAlice], shared)).toBe('output has no value');
  });

  test('credentials of imported inputs come after those of plain ones', () => {
    const view = viewOf([amount(5n)], { atomic: [amount(6n, { addresses: [bob] })] });
    const tx = { ...importFrom(pChain, input(6n)), inputs: [input(5n)] };
    expect(textOf(tx, [byAlice, credential('secp256k1fx', bob)], view)).toBeUndefined();
    expect(textOf(tx, [byAlice, byAlice], view)).toStartWith('wrong signature: ');
  });

  test('an export is to a chain of the same subnet, of an asset with the fx; its messages have no prefix', () => {
    expect(textOf(exportTo(pChain), [], shared)).toBeUndefined();
    expect(textOf(exportTo(xChain), [], shared)).toBe('same chainID');
    expect(textOf(exportTo(elsewhere), [], shared)).toStartWith('failed to get subnet of ');
    expect(textOf(exportTo(pChain, avax), [], shared)).toBe('not found');
    expect(textOf(exportTo(pChain, source), [], shared)).toBe('not an asset');
    expect(textOf(exportTo(pChain), [], viewOf([], { fxs: [1] }))).toBe('incompatible feature extension');
  });

  test('while catching up, imports are not verified; exports still need an asset', () => {
    expect(textOf(importFrom(elsewhere, input(5n, 9)), [byAlice], shared, { bootstrapped: false })).toBeUndefined();
    expect(textOf(exportTo(elsewhere), [], shared, { bootstrapped: false })).toBeUndefined();
    expect(textOf(exportTo(elsewhere, avax), [], shared, { bootstrapped: false })).toBe('not found');
  });
});

describe('operations', () => {
  const ref = (outputIndex: number) => ({ txID: source, outputIndex });
  const operate = (operation: FxOperation, ...indices: number[]): UnsignedTx => ({
    kind: 'OperationTx',
    ...base,
    operations: [{ assetID: gold, inputIDs: indices.map(ref), operation }],
  });
  const mintInput = { signatureIndices: [0] };
  const payload = Uint8Array.of(1, 2);
  const others = { ...owners, addresses: [bob] };
  const ledger: Output[] = [
    { kind: 'secp256k1fx.MintOutput', ...owners },
    { kind: 'nftfx.MintOutput', groupID: 1, ...owners },
    { kind: 'nftfx.TransferOutput', groupID: 1, payload, ...owners },
    { kind: 'propertyfx.MintOutput', ...owners },
    { kind: 'propertyfx.OwnedOutput', ...owners },
  ];
  const view = viewOf(ledger);
  const secpMint: FxOperation = {
    kind: 'secp256k1fx.MintOperation',
    mintInput,
    mintOutput: owners,
    transferOutput: { ...owners, amount: 1n },
  };
  const nftMint: FxOperation = { kind: 'nftfx.MintOperation', mintInput, groupID: 1, payload, outputs: [others] };
  const nftTransfer: FxOperation = { kind: 'nftfx.TransferOperation', input: mintInput, output: { groupID: 1, payload, ...others } };
  const propertyMint: FxOperation = { kind: 'propertyfx.MintOperation', mintInput, mintOutput: owners, ownedOutput: others };
  const burn: FxOperation = { kind: 'propertyfx.BurnOperation', signatureIndices: [0] };
  const [secp, nft, property] = [byAlice, credential('nftfx', alice), credential('propertyfx', alice)];

  const table: [string, FxOperation, number[], Credential, string | undefined][] = [
    ['secp mint', secpMint, [0], secp, undefined],
    ['secp mint: credential before count', secpMint, [0, 1], nft, 'wrong credential type'],
    ['secp mint: count before type', secpMint, [3, 4], secp, 'wrong number of utxos for the operation'],
    ['secp mint: of no output', secpMint, [], secp, 'wrong number of utxos for the operation'],
    ['secp mint: of a property', secpMint, [3], secp, 'wrong utxo type'],
    [
      'secp mint: other owners before the signature',
      { ...secpMint, mintOutput: others },
      [0],
      credential('secp256k1fx', bob),
      'wrong mint output created from the operation',
    ],
    ['nft mint', nftMint, [1], nft, undefined],
    ['nft mint: count before credential', nftMint, [1, 2], secp, 'wrong number of UTXOs for the operation'],
    ['nft mint: credential before type', nftMint, [0], property, 'wrong credential type'],
    ['nft mint: of an NFT', nftMint, [2], nft, 'wrong utxo type'],
    ['nft mint: group before signature', { ...nftMint, groupID: 2 }, [1], credential('nftfx', bob), 'wrong unique ID provided'],
    ['nft transfer', nftTransfer, [2], nft, undefined],
    ['nft transfer: count before credential', nftTransfer, [1, 2], secp, 'wrong number of UTXOs for the operation'],
    [
      'nft transfer: payload before signature',
      { ...nftTransfer, output: { ...nftTransfer.output, payload: Uint8Array.of(1, 2, 3) } },
      [2],
      credential('nftfx', bob),
      'wrong bytes provided',
    ],
    ['property mint', propertyMint, [3], property, undefined],
    ['property mint: other owners', { ...propertyMint, mintOutput: others }, [3], property, 'wrong mint output provided'],
    ['property mint: of an owned output', propertyMint, [4], property, 'wrong utxo type'],
    ['property burn', burn, [4], property, undefined],
    ['property burn: of a mint output', burn, [3], property, 'wrong utxo type'],
    ['property burn: count before credential', burn, [3, 4], secp, 'wrong number of UTXOs for the operation'],
    ['a missing output', burn, [9], property, 'not found'],
  ];
  test.each(table)('%s', (_, operation, indices, cred, text) =>
    expect(textOf(operate(operation, ...indices), [cred], view)).toBe(text as string),
  );

  test('the asset of every output is checked before the fx of the asset', () => {
    const tx: UnsignedTx = { kind: 'OperationTx', ...base, operations: [{ assetID: avax, inputIDs: [ref(4)], operation: burn }] };
    expect(textOf(tx, [property], viewOf(ledger, { fxs: [0] }))).toBe("asset IDs in the input don't match the utxo");
    expect(textOf(operate(burn, 4), [property], viewOf(ledger, { fxs: [0] }))).toBe('incompatible feature extension');
  });

  test('spent outputs are verified', () => {
    const invalid: Output[] = ledger.map((value) => ({ ...value, threshold: 2 }));
    const all: [FxOperation, Credential][] = [
      [secpMint, secp],
      [nftMint, nft],
      [nftTransfer, nft],
      [propertyMint, property],
      [burn, property],
    ];
    for (const [i, [operation, cred]] of all.entries())
      expect(textOf(operate(operation, i), [cred], viewOf(invalid))).toBe('output is unspendable');
  });

  test('operations are not verified while catching up, nor for the exempt transaction; its inputs are', () => {
    const bad = operate(burn, 9);
    expect(textOf(bad, [property], view, { bootstrapped: false })).toBeUndefined();
    const exempt = { ...makeTx(bad, [property]), id: exemptions[0]?.txID as Id };
    expect(idText(exempt.id)).toBe('MkvpJS13eCnEYeYi9B5zuWrU9goG9RBj7nr83U7BjrFV22a12');
    expect(faultOf(() => verifySpend(exempt, view, localContext))).toBeUndefined();
    const withInput = { ...makeTx({ ...bad, inputs: [input(1n, 9)] }, [secp, property]), id: exempt.id };
    expect(faultOf(() => verifySpend(withInput, view, localContext))?.code).toBe('TX_UTXO_NOT_FOUND');
  });
});
