import { toHex } from '../src/bytes/hex.ts';
import { type Id, zeroId } from '../src/bytes/id.ts';
import { maxU64 } from '../src/bytes/octets.ts';
import type { TransferableInput } from '../src/tx/input.ts';
import { type OutputOwners, TransferableOutput } from '../src/tx/output.ts';
import type { UnsignedTx } from '../src/tx/unsigned.ts';
import type { Utxo } from '../src/tx/utxo.ts';
import { compareRefs } from '../src/verify/flow.ts';
import { createAssetSpoilers } from './create-asset-spoilers.ts';
import { operationSpoilers } from './operation-spoilers.ts';
import { chance, freeOf, stranger, type World } from './random-world.ts';
import { type DraftSpoiler, edit, swapped, withInput, withInputAt, withOutputs } from './spoiling.ts';
import { type Draft, type Key, ownedBy, transfer } from './wallet-kit.ts';

/** Every way to spoil a transaction before it is signed: those that any kind knows, and those of each kind. */

const anyKind: readonly DraftSpoiler[] = [
  ['of another network', 'TX_WRONG_NETWORK', (tx, draft) => edit(draft, { networkID: tx.networkID + 1 })],
  ['of another chain', 'TX_WRONG_CHAIN', (_, draft, world) => edit(draft, { blockchainID: someId(world) })],
  ['too long a memo', 'TX_MEMO_TOO_LARGE', (_, draft, { random }) => edit(draft, { memo: random.bytes(257 + random.below(600)) })],

  ['an output of nothing', 'TX_NO_VALUE_OUTPUT', (_, draft, world) => withOutputs(draft, coin(world, 0n))],
  ['an output of no asset', 'TX_EMPTY_ASSET_ID', (_, draft, world) => withOutputs(draft, transfer(zeroId, 1n, mine(world)))],
  ['an unspendable output', 'TX_OUTPUT_UNSPENDABLE', withOwners((world) => ownedBy([one(world)], 2))],
  ['an output nobody need sign for', 'TX_OUTPUT_UNOPTIMIZED', withOwners((world) => ownedBy([one(world)], 0))],
  ['an output with an owner twice', 'TX_ADDRESSES_NOT_SORTED', withOwners((world) => ownedTwice(one(world)))],
  [
    'an output with unsorted owners',
    'TX_ADDRESSES_NOT_SORTED',
    withOwners((world) => reversed(ownedBy([one(world), stranger(world.random)]))),
  ],
  ['unsorted outputs', 'TX_OUTPUTS_NOT_SORTED', (tx, draft) => replaced(draft, 'outputs', swapped(TransferableOutput, tx.outputs))],
  ['more out than in', 'TX_INSUFFICIENT_FUNDS', (_, draft, world) => withOutputs(draft, coin(world, 1n << 62n))],
  ['a coin less than the fee', 'TX_INSUFFICIENT_FUNDS', coinShort],
  ['an asset from nowhere', 'TX_INSUFFICIENT_FUNDS', (_, draft, world) => withOutputs(draft, transfer(someId(world), 1n, mine(world)))],
  ['more out than there is', 'TX_OVERFLOW', (_, draft, world) => withOutputs(draft, coin(world, maxU64))],

  ['inputs in the wrong order', 'TX_INPUTS_NOT_SORTED', reversedInputs],
  ['an input twice', 'TX_INPUTS_NOT_SORTED', (tx, draft) => tx.inputs[0] && withInput(draft, tx.inputs[0], draft.signers[0] ?? [])],
  ['an input of nothing', 'TX_NO_VALUE_INPUT', onInput((input) => ({ ...input, input: { ...input.input, amount: 0n } }))],
  ['an input of no asset', 'TX_EMPTY_ASSET_ID', onInput((input) => ({ ...input, assetID: zeroId }))],
  ['a wrong amount', 'TX_WRONG_AMOUNT', wrongAmount],
  [
    'an unknown output spent',
    'TX_UTXO_NOT_FOUND',
    (tx, draft, world) => withInput(draft, coinInput(world, tx, { txID: someId(world) }), [one(world)]),
  ],
  ['a spent output spent', 'TX_UTXO_NOT_FOUND', (tx, draft, world) => spendMore(tx, draft, world, world.random.pick(world.model.spent))],
  ['a locked output spent', 'TX_TIME_LOCKED', (tx, draft, world) => spendMore(tx, draft, world, freeOf(world, world.stock.locked)[0])],
  ['a stranger’s output spent', 'TX_WRONG_SIGNATURE', (tx, draft, world) => spendMore(tx, draft, world, strangersOutput(world))],
  ['an output called another asset', 'TX_ASSET_MISMATCH', mismatched],
  ['something else than an amount spent', undefined, (tx, draft, world) => spendMore(tx, draft, world, otherOutput(world))],

  ['a signer too many', 'TX_TOO_MANY_SIGNERS', onIndices((indices) => [...indices, (indices.at(-1) ?? -1) + 1])],
  ['a signer too few', 'TX_TOO_FEW_SIGNERS', onIndices((indices) => indices.slice(1), 1)],
  ['a signer who is no owner', 'TX_SIGNER_OUT_OF_BOUNDS', onIndices((indices) => indices.with(-1, 99), 1)],
  ['a signer twice', 'TX_SIGNATURE_INDICES_NOT_SORTED', onIndices((indices) => [...indices, indices[0] as number], 1)],
];

const onlyBase: readonly DraftSpoiler<'BaseTx'>[] = [['too large a transaction', 'MEMPOOL_TX_TOO_LARGE', tooLarge]];

const onlyImport: readonly DraftSpoiler<'ImportTx'>[] = [
  ['nothing imported', 'TX_NO_IMPORT_INPUTS', (tx, draft) => withImported(draft, tx, [])],
  ['imported from this very chain', 'TX_SAME_CHAIN', (tx, draft) => edit(draft, { sourceChain: tx.blockchainID })],
  ['imported from an unknown chain', 'TX_UNKNOWN_CHAIN', (_, draft, world) => edit(draft, { sourceChain: someId(world) })],
  [
    'imported from the other chain',
    'TX_UTXO_NOT_FOUND',
    (tx, draft, { chains }) => edit(draft, { sourceChain: chains.find((chain) => chain !== tx.sourceChain) }),
  ],
  [
    'an unknown output imported',
    'TX_UTXO_NOT_FOUND',
    (tx, draft, world) =>
      edit(draft, {
        importedInputs: tx.importedInputs.map((one, i) => (i === 0 ? { ...one, txID: someId(world) } : one)).sort(compareRefs),
      }),
  ],
  [
    'a wrong amount imported',
    'TX_WRONG_AMOUNT',
    (tx, draft) => {
      const [first, ...others] = tx.importedInputs;
      if (first === undefined || first.input.amount === maxU64) return undefined;
      return edit(draft, { importedInputs: [{ ...first, input: { ...first.input, amount: first.input.amount + 1n } }, ...others] });
    },
  ],
  [
    'imported twice',
    'TX_INPUTS_NOT_SORTED',
    (tx, draft) => withImported(draft, tx, [...tx.importedInputs, ...tx.importedInputs.slice(-1)]),
  ],
];

const onlyExport: readonly DraftSpoiler<'ExportTx'>[] = [
  ['nothing exported', 'TX_NO_EXPORT_OUTPUTS', (_, draft) => edit(draft, { exportedOutputs: [] })],
  ['exported to this very chain', 'TX_SAME_CHAIN', (tx, draft) => edit(draft, { destinationChain: tx.blockchainID })],
  ['exported to an unknown chain', 'TX_UNKNOWN_CHAIN', (_, draft, world) => edit(draft, { destinationChain: someId(world) })],
  [
    'unsorted exports',
    'TX_OUTPUTS_NOT_SORTED',
    (tx, draft) => replaced(draft, 'exportedOutputs', swapped(TransferableOutput, tx.exportedOutputs)),
  ],
  ['an export of nothing', 'TX_NO_VALUE_OUTPUT', (_, draft, world) => edit(draft, { exportedOutputs: [coin(world, 0n)] })],
  ['an unspendable export', 'TX_OUTPUT_UNSPENDABLE', (_, draft, world) => edit(draft, { exportedOutputs: [withOwnersOf(world)] })],
];

/** The rows of one kind are only asked with drafts of that kind. */
export const draftSpoilers: { readonly [K in UnsignedTx['kind'] | 'any']: readonly DraftSpoiler[] } = {
  any: anyKind,
  BaseTx: onlyBase as readonly DraftSpoiler[],
  CreateAssetTx: createAssetSpoilers as readonly DraftSpoiler[],
  OperationTx: operationSpoilers as readonly DraftSpoiler[],
  ImportTx: onlyImport as readonly DraftSpoiler[],
  ExportTx: onlyExport as readonly DraftSpoiler[],
};

const someId = ({ random }: World): Id => toHex(random.bytes(32)) as Id;
const one = ({ random, wallet }: World): Key => random.pick(wallet.keys);
const mine = (world: World): OutputOwners => ownedBy([one(world)]);
const coin = (world: World, amount: bigint): TransferableOutput => transfer(world.wallet.terms.feeAsset, amount, mine(world));
const withOwnersOf = (world: World) => transfer(world.wallet.terms.feeAsset, 1n, ownedBy([one(world)], 2));

function withOwners(owners: (world: World) => OutputOwners): DraftSpoiler[2] {
  return (_, draft, world) => withOutputs(draft, transfer(world.wallet.terms.feeAsset, 1n, owners(world)));
}

const ownedTwice = ({ address }: Key): OutputOwners => ({ locktime: 0n, threshold: 1, addresses: [address, address] });
const reversed = (owners: OutputOwners): OutputOwners => ({ ...owners, addresses: owners.addresses.toReversed() });

const replaced = (draft: Draft, field: string, items: readonly unknown[] | undefined): Draft | undefined =>
  items && edit(draft, { [field]: items });

/** All that is left for the fee, less one coin, is paid out. */
function coinShort(tx: UnsignedTx, draft: Draft, world: World): Draft | undefined {
  const { feeAsset, txFee, createAssetTxFee } = world.wallet.terms;
  const inputs = [...tx.inputs, ...(tx.kind === 'ImportTx' ? tx.importedInputs : [])].filter(({ assetID }) => assetID === feeAsset);
  const outputs = [...tx.outputs, ...(tx.kind === 'ExportTx' ? tx.exportedOutputs : [])].filter(({ assetID }) => assetID === feeAsset);
  const left = inputs.reduce((sum, { input }) => sum + input.amount, 0n) - outputs.reduce((sum, { output }) => sum + output.amount, 0n);
  const fee = tx.kind === 'CreateAssetTx' ? createAssetTxFee : txFee;
  return left < fee ? undefined : withOutputs(draft, coin(world, left - fee + 1n));
}

function reversedInputs({ inputs }: UnsignedTx, draft: Draft): Draft | undefined {
  if (inputs.length < 2) return undefined;
  const signers = [...draft.signers.slice(0, inputs.length).reverse(), ...draft.signers.slice(inputs.length)];
  return { ...edit(draft, { inputs: inputs.toReversed() }), signers };
}

/** One of the inputs changed. */
function onInput(change: (input: TransferableInput) => TransferableInput | undefined): DraftSpoiler[2] {
  return ({ inputs }, draft, { random }) => {
    if (inputs.length === 0) return undefined;
    const at = random.below(inputs.length);
    const changed = change(inputs[at] as TransferableInput);
    return changed && withInputAt(draft, at, () => changed);
  };
}

/** The positions of the signers of one input changed, if it has as many as the change needs. */
function onIndices(change: (indices: number[]) => number[], atLeast = 0): DraftSpoiler[2] {
  return onInput((input) =>
    input.input.signatureIndices.length < atLeast
      ? undefined
      : { ...input, input: { ...input.input, signatureIndices: change(input.input.signatureIndices) } },
  );
}

function wrongAmount(tx: UnsignedTx, draft: Draft, world: World): Draft | undefined {
  return onInput((input) =>
    input.input.amount === maxU64 ? undefined : { ...input, input: { ...input.input, amount: input.input.amount + 1n } },
  )(tx, draft, world);
}

const coinInput = ({ wallet }: World, { inputs }: UnsignedTx, over: Partial<TransferableInput>): TransferableInput => ({
  txID: inputs[0]?.txID ?? zeroId,
  outputIndex: 0,
  assetID: wallet.terms.feeAsset,
  input: { kind: 'secp256k1fx.TransferInput', amount: 1n, signatureIndices: [0] },
  ...over,
});

/** One more input: of an asset that is not in play yet, or of the fee's, so that no sum grows past a u64. */
function spendMore(tx: UnsignedTx, draft: Draft, world: World, utxo: Utxo | undefined): Draft | undefined {
  if (utxo === undefined || utxo.id === undefined) return undefined;
  const { txID, outputIndex, assetID, output } = utxo;
  const imported = tx.kind === 'ImportTx' ? tx.importedInputs : [];
  const inPlay = [...tx.inputs, ...imported].some((input) => input.assetID === assetID) && assetID !== world.wallet.terms.feeAsset;
  if (inPlay || tx.inputs.some((input) => input.txID === txID && input.outputIndex === outputIndex)) return undefined;
  const spends = tx.kind === 'OperationTx' && tx.operations.some(({ inputIDs }) => inputIDs.some((ref) => ref.txID === txID));
  if (spends) return undefined;
  const held = output.addresses.flatMap((address, i) => {
    const key = world.wallet.keys.find((mineToo) => mineToo.address === address);
    return key === undefined ? [] : [{ i, key }];
  });
  const signing = held.length >= output.threshold ? held.slice(0, output.threshold) : [{ i: 0, key: one(world) }];
  const amount = output.kind === 'secp256k1fx.TransferOutput' ? output.amount : 1n;
  const input = { kind: 'secp256k1fx.TransferInput' as const, amount, signatureIndices: signing.map(({ i }) => i) };
  return withInput(
    draft,
    { txID, outputIndex, assetID, input },
    signing.map(({ key }) => key),
  );
}

const strangersOutput = (world: World): Utxo | undefined =>
  someOutput(world, ({ output, assetID }) => {
    const isOurs = output.addresses.some((address) => world.wallet.keys.some((key) => key.address === address));
    const isUsable = output.kind === 'secp256k1fx.TransferOutput' && world.model.assets.get(assetID)?.includes(0) === true;
    return !isOurs && isUsable && output.threshold === 1 && output.locktime <= world.now();
  });

const otherOutput = (world: World): Utxo | undefined =>
  someOutput(world, ({ id, output }) => output.kind !== 'secp256k1fx.TransferOutput' && !world.taken.has(id));

function someOutput({ model }: World, isWanted: (utxo: Utxo) => boolean): Utxo | undefined {
  for (const utxo of model.utxos.values()) if (isWanted(utxo)) return utxo;
  return undefined;
}

function mismatched(tx: UnsignedTx, draft: Draft, world: World): Draft | undefined {
  const { feeAsset } = world.wallet.terms;
  const other = [...world.stock.transfers].find(([assetID]) => assetID !== feeAsset)?.[1];
  const utxo = freeOf(world, other)[0];
  if (utxo === undefined || tx.inputs.some(({ txID, outputIndex }) => txID === utxo.txID && outputIndex === utxo.outputIndex))
    return undefined;
  return withInput(draft, coinInput(world, tx, { txID: utxo.txID, outputIndex: utxo.outputIndex }), [one(world)]);
}

/** 64 KiB of one-coin outputs, taken from the largest one. */
function tooLarge({ outputs }: Extract<UnsignedTx, { kind: 'BaseTx' }>, draft: Draft, world: World): Draft | undefined {
  const count = 830n;
  // They take their time, and one in a while is enough.
  if (!chance(world.random, 8)) return undefined;
  const { feeAsset } = world.wallet.terms;
  const at = outputs.findIndex(({ assetID, output }) => assetID === feeAsset && output.amount > count);
  const from = outputs[at];
  if (from === undefined) return undefined;
  const less = { ...from, output: { ...from.output, amount: from.output.amount - count } };
  const many = Array.from({ length: Number(count) }, () => transfer(feeAsset, 1n, ownedBy([world.wallet.keys[0] as Key])));
  return withOutputs(edit(draft, { outputs: outputs.toSpliced(at, 1) }), less, ...many);
}

/** Imported inputs replaced, with the first one's signers for each. */
function withImported(draft: Draft, tx: Extract<UnsignedTx, { kind: 'ImportTx' }>, importedInputs: TransferableInput[]): Draft {
  const first = tx.inputs.length;
  const keys = importedInputs.map((_, i) => draft.signers[first + i] ?? draft.signers[first] ?? []);
  return { ...edit(draft, { importedInputs }), signers: [...draft.signers.slice(0, first), ...keys] };
}
