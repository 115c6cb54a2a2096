import { describe, expect, test } from 'bun:test';
import type { Address } from '../bytes/address.ts';
import { type Id, idText, zeroId } from '../bytes/id.ts';
import type { Asset, View } from '../state/view.ts';
import type { Credential } from '../tx/credential.ts';
import type { FxOperation } from '../tx/operation.ts';
import type { Output } from '../tx/output.ts';
import { makeTx } from '../tx/tx.ts';
import type { UnsignedTx } from '../tx/unsigned.ts';
import { makeUtxo, type Utxo, utxoId } from '../tx/utxo.ts';
import { avax, cChain, credential, faultOf, localContext, pChain, xChain } from './ledger.fixture.ts';
import { quirks } from './quirks.ts';
import { type SpendContext, verifySpend } from './spend.ts';

const alice = 'aa'.repeat(20) as Address;
const bob = 'bb'.repeat(20) as Address;
const source = '22'.repeat(32) as Id;
const gold = '11'.repeat(32) as Id;
const owners = { locktime: 0n, threshold: 1, addresses: [alice] };
const amount = (n: bigint, more = {}): Output => ({ kind: 'secp256k1fx.TransferOutput', amount: n, ...owners, ...more });

/** What the ledger has at index 0, 1, … of the transaction `source`. */
function viewOf(outputs: Output[], { asset = gold, fxs = [0, 1, 2], atomic = [] as Output[] } = {}): View {
  const utxos = (list: Output[]) => new Map<Id, Utxo>(list.map((output, i) => [utxoId(source, i), makeUtxo(source, i, asset, output)]));
  const [local, shared] = [utxos(outputs), utxos(atomic)];
  const assets = new Map<Id, Asset | 'not-an-asset'>([
    [asset, { id: asset, fxs }],
    [source, 'not-an-asset'],
  ]);
  return {
    utxo: (id) => local.get(id),
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
      'of an output that is not there',
      pay(input(5n, 1)),
      byAlice,
      viewOf([amount(5n)]),
      `${prefix}failed to get utxo ${idText(utxoId(source, 1))}: not found`,
    ],
    ['of another asset', pay(input(5n, 0, avax)), byAlice, viewOf([amount(5n)]), `${prefix}asset IDs in the input don't match the utxo`],
    ['of an asset nobody made', pay(input(5n)), byAlice, { ...viewOf([amount(5n)]), asset: () => undefined }, `${prefix}not found`],
    ['of what is no asset', pay(input(5n, 0, source)), byAlice, viewOf([amount(5n)], { asset: source }), `${prefix}not an asset`],
    [
      'of an asset without the fx',
      pay(input(5n)),
      byAlice,
      viewOf([amount(5n)], { fxs: [1, 2] }),
      `${prefix}incompatible feature extension`,
    ],
    [
      'the asset before the credential',
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
      'the credential before the output',
      pay(input(5n)),
      amount(1n),
      viewOf([{ kind: 'secp256k1fx.MintOutput', ...owners }]),
      `${prefix}wrong credential type`,
    ],
    ['of a mint output', pay(input(5n)), byAlice, viewOf([{ kind: 'secp256k1fx.MintOutput', ...owners }]), `${prefix}wrong utxo type`],
    [
      'of an output that is unsound: before its amount',
      pay(input(5n)),
      byAlice,
      viewOf([amount(4n, { threshold: 2 })]),
      `${prefix}output is unspendable`,
    ],
    [
      'of another amount: before the lock',
      pay(input(5n)),
      byAlice,
      viewOf([amount(4n, { locktime: 1n << 60n })]),
      `${prefix}utxo amount and input amount are not equal: 4 != 5`,
    ],
  ];
  test.each(table)('%s', (_, tx, cred, view, text) => expect(textOf(tx, [cred], view)).toBe(text as string));

  test('a fault says which input, which output and whose signature', () => {
    const tx = makeTx(pay(input(5n), input(6n, 1)), [byAlice, credential('secp256k1fx', bob)]);
    expect(faultOf(() => verifySpend(tx, viewOf([amount(5n), amount(6n)]), localContext))).toMatchObject({
      code: 'TX_WRONG_SIGNATURE',
      path: 'inputs[1]',
      utxoID: idText(utxoId(source, 1)),
      createdBy: idText(source),
      outputIndex: 1,
    });
  });

  test('to an asset nobody made, or none at all', () => {
    const to = (assetID: Id): UnsignedTx => ({ kind: 'BaseTx', ...base, outputs: [output(assetID)] });
    expect(textOf(to(avax), [], viewOf([]))).toBe('failed to verify fx usage: not found');
    expect(textOf(to(source), [], viewOf([]))).toBe('failed to verify fx usage: not an asset');
    expect(textOf(to(gold), [], viewOf([], { fxs: [1] }))).toBe('failed to verify fx usage: incompatible feature extension');
    expect(textOf(to(gold), [], viewOf([]))).toBeUndefined();
  });
});

describe('imports and exports', () => {
  const take = (sourceChain: Id, ...importedInputs: ReturnType<typeof input>[]): UnsignedTx => ({
    kind: 'ImportTx',
    ...base,
    sourceChain,
    importedInputs,
  });
  const send = (destinationChain: Id, assetID = gold): UnsignedTx => ({
    kind: 'ExportTx',
    ...base,
    destinationChain,
    exportedOutputs: [output(assetID)],
  });
  const elsewhere = '33'.repeat(32) as Id;
  const shared = viewOf([], { atomic: [amount(5n), amount(0n)] });

  test('from memory shared with a chain of the subnet', () => {
    expect(textOf(take(pChain, input(5n)), [byAlice], shared)).toBeUndefined();
    expect(textOf(take(cChain, input(5n)), [byAlice], shared)).toBe('not found');
    expect(textOf(take(xChain, input(5n)), [byAlice], shared)).toBe('same chainID');
    const id = idText(elsewhere);
    const unknown = `failed to get subnet of "${id}": problem retrieving blockchain "${id}": not found`;
    expect(textOf(take(elsewhere, input(5n)), [byAlice], shared)).toBe(unknown);
    expect(textOf(take(elsewhere, input(5n)), [byAlice], shared, { subnetOf: () => gold })).toBe(
      `mismatched subnetIDs; expected "${idText(zeroId)}" got "${idText(gold)}"`,
    );
  });

  test('all are looked for before the first is judged, and another chain may have put anything there', () => {
    const wrong = credential('secp256k1fx', bob);
    expect(textOf(take(pChain, input(5n), input(5n, 9)), [wrong, wrong], shared)).toBe('not found');
    expect(textOf(take(pChain, input(5n), input(5n, 1)), [byAlice, byAlice], shared)).toBe('output has no value');
  });

  test('credentials of imported inputs come after those of plain ones', () => {
    const view = viewOf([amount(5n)], { atomic: [amount(6n, { addresses: [bob] })] });
    const tx = { ...take(pChain, input(6n)), inputs: [input(5n)] };
    expect(textOf(tx, [byAlice, credential('secp256k1fx', bob)], view)).toBeUndefined();
    expect(textOf(tx, [byAlice, byAlice], view)).toStartWith('wrong signature: ');
  });

  test('to a chain of the subnet, of an asset with the fx; no prefix before the text', () => {
    expect(textOf(send(pChain), [], shared)).toBeUndefined();
    expect(textOf(send(xChain), [], shared)).toBe('same chainID');
    expect(textOf(send(elsewhere), [], shared)).toStartWith('failed to get subnet of ');
    expect(textOf(send(pChain, avax), [], shared)).toBe('not found');
    expect(textOf(send(pChain, source), [], shared)).toBe('not an asset');
    expect(textOf(send(pChain), [], viewOf([], { fxs: [1] }))).toBe('incompatible feature extension');
  });

  test('while catching up, imports pass unseen; exports still need an asset', () => {
    expect(textOf(take(elsewhere, input(5n, 9)), [byAlice], shared, { bootstrapped: false })).toBeUndefined();
    expect(textOf(send(elsewhere), [], shared, { bootstrapped: false })).toBeUndefined();
    expect(textOf(send(elsewhere, avax), [], shared, { bootstrapped: false })).toBe('not found');
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
    ['secp mint: of nothing', secpMint, [], secp, 'wrong number of utxos for the operation'],
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
    ['nft mint: of a piece', nftMint, [2], nft, 'wrong utxo type'],
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
    ['an output that is not there', burn, [9], property, 'not found'],
  ];
  test.each(table)('%s', (_, operation, indices, cred, text) =>
    expect(textOf(operate(operation, ...indices), [cred], view)).toBe(text as string),
  );

  test('the asset of every output before the fx of the asset', () => {
    const tx: UnsignedTx = { kind: 'OperationTx', ...base, operations: [{ assetID: avax, inputIDs: [ref(4)], operation: burn }] };
    expect(textOf(tx, [property], viewOf(ledger, { fxs: [0] }))).toBe("asset IDs in the input don't match the utxo");
    expect(textOf(operate(burn, 4), [property], viewOf(ledger, { fxs: [0] }))).toBe('incompatible feature extension');
  });

  test('spent outputs judge themselves', () => {
    const unsound: Output[] = ledger.map((value) => ({ ...value, threshold: 2 }));
    const all: [FxOperation, Credential][] = [
      [secpMint, secp],
      [nftMint, nft],
      [nftTransfer, nft],
      [propertyMint, property],
      [burn, property],
    ];
    for (const [i, [operation, cred]] of all.entries())
      expect(textOf(operate(operation, i), [cred], viewOf(unsound))).toBe('output is unspendable');
  });

  test('are taken as judged while catching up, and for the one the peer waives; its inputs are not', () => {
    const bad = operate(burn, 9);
    expect(textOf(bad, [property], view, { bootstrapped: false })).toBeUndefined();
    const waived = { ...makeTx(bad, [property]), id: quirks[0]?.txID as Id };
    expect(idText(waived.id)).toBe('MkvpJS13eCnEYeYi9B5zuWrU9goG9RBj7nr83U7BjrFV22a12');
    expect(faultOf(() => verifySpend(waived, view, localContext))).toBeUndefined();
    const withInput = { ...makeTx({ ...bad, inputs: [input(1n, 9)] }, [secp, property]), id: waived.id };
    expect(faultOf(() => verifySpend(withInput, view, localContext))?.code).toBe('TX_UTXO_NOT_FOUND');
  });
});
