import type { TransferableInput } from '../src/avm/tx/input.ts';
import { type OutputOwners, TransferableOutput } from '../src/avm/tx/output.ts';
import type { UnsignedTx } from '../src/avm/tx/unsigned.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import { compareRefs } from '../src/avm/verify/flow.ts';
import { toHex } from '../src/base/bytes/hex.ts';
import { type Id, zeroId } from '../src/base/bytes/id.ts';
import { maxU64 } from '../src/base/bytes/octets.ts';
import { createAssetMutations } from './create-asset-mutations.ts';
import { addInput, addOutputs, changeInputAt, type DraftMutation, editDraft, swapFirstTwo } from './draft-edits.ts';
import { operationMutations } from './operation-mutations.ts';
import { availableOf, chance, randomAddress, type World } from './random-world.ts';
import { type Draft, type Key, ownedBy, transfer } from './wallet-kit.ts';

/** Mutations that make a transaction invalid before it is signed: for any kind of transaction, and for each kind. */

const anyKindMutations: readonly DraftMutation[] = [
  ['of another network', 'TX_WRONG_NETWORK', (tx, draft) => editDraft(draft, { networkID: tx.networkID + 1 })],
  ['of another chain', 'TX_WRONG_CHAIN', (_, draft, world) => editDraft(draft, { blockchainID: randomId(world) })],
  ['too long a memo', 'TX_MEMO_TOO_LARGE', (_, draft, { random }) => editDraft(draft, { memo: random.bytes(257 + random.below(600)) })],

  ['an output with amount 0', 'TX_NO_VALUE_OUTPUT', (_, draft, world) => addOutputs(draft, feeAssetOutput(world, 0n))],
  [
    'an output with an empty asset id',
    'TX_EMPTY_ASSET_ID',
    (_, draft, world) => addOutputs(draft, transfer(zeroId, 1n, randomOwner(world))),
  ],
  ['an unspendable output', 'TX_OUTPUT_UNSPENDABLE', addOutputOwnedBy((world) => ownedBy([randomKey(world)], 2))],
  ['an output with owners but threshold 0', 'TX_OUTPUT_UNOPTIMIZED', addOutputOwnedBy((world) => ownedBy([randomKey(world)], 0))],
  ['an output with a duplicate owner', 'TX_ADDRESSES_NOT_SORTED', addOutputOwnedBy((world) => duplicateOwner(randomKey(world)))],
  [
    'an output with unsorted owners',
    'TX_ADDRESSES_NOT_SORTED',
    addOutputOwnedBy((world) => reverseOwners(ownedBy([randomKey(world), randomAddress(world.random)]))),
  ],
  [
    'unsorted outputs',
    'TX_OUTPUTS_NOT_SORTED',
    (tx, draft) => replaceItems(draft, 'outputs', swapFirstTwo(TransferableOutput, tx.outputs)),
  ],
  ['more out than in', 'TX_INSUFFICIENT_FUNDS', (_, draft, world) => addOutputs(draft, feeAssetOutput(world, 1n << 62n))],
  ['a fee that is one unit too low', 'TX_INSUFFICIENT_FUNDS', payTooLittleFee],
  [
    'an output of an asset without inputs',
    'TX_INSUFFICIENT_FUNDS',
    (_, draft, world) => addOutputs(draft, transfer(randomId(world), 1n, randomOwner(world))),
  ],
  ['outputs whose sum overflows', 'TX_OVERFLOW', (_, draft, world) => addOutputs(draft, feeAssetOutput(world, maxU64))],

  ['inputs in the wrong order', 'TX_INPUTS_NOT_SORTED', reverseInputs],
  ['an input twice', 'TX_INPUTS_NOT_SORTED', (tx, draft) => tx.inputs[0] && addInput(draft, tx.inputs[0], draft.signers[0] ?? [])],
  ['an input with amount 0', 'TX_NO_VALUE_INPUT', changeRandomInput((input) => ({ ...input, input: { ...input.input, amount: 0n } }))],
  ['an input with an empty asset id', 'TX_EMPTY_ASSET_ID', changeRandomInput((input) => ({ ...input, assetID: zeroId }))],
  ['a wrong amount', 'TX_WRONG_AMOUNT', changeAmount],
  [
    'an unknown output spent',
    'TX_UTXO_NOT_FOUND',
    (tx, draft, world) => addInput(draft, feeAssetInput(world, tx, { txID: randomId(world) }), [randomKey(world)]),
  ],
  ['a spent output spent', 'TX_UTXO_NOT_FOUND', (tx, draft, world) => addInputOf(tx, draft, world, world.random.pick(world.model.spent))],
  [
    'a locked output spent',
    'TX_TIME_LOCKED',
    (tx, draft, world) => addInputOf(tx, draft, world, availableOf(world, world.spendable.locked)[0]),
  ],
  ['an output of another owner spent', 'TX_WRONG_SIGNATURE', (tx, draft, world) => addInputOf(tx, draft, world, foreignOutput(world))],
  ['an input with another asset id than its output', 'TX_ASSET_MISMATCH', changeAsset],
  ['an output spent that is not a TransferOutput', undefined, (tx, draft, world) => addInputOf(tx, draft, world, nonTransferOutput(world))],

  ['a signer too many', 'TX_TOO_MANY_SIGNERS', changeSignatureIndices((indices) => [...indices, (indices.at(-1) ?? -1) + 1])],
  ['a signer too few', 'TX_TOO_FEW_SIGNERS', changeSignatureIndices((indices) => indices.slice(1), 1)],
  ['a signature index that is out of range', 'TX_SIGNER_OUT_OF_BOUNDS', changeSignatureIndices((indices) => indices.with(-1, 99), 1)],
  ['a signer twice', 'TX_SIGNATURE_INDICES_NOT_SORTED', changeSignatureIndices((indices) => [...indices, indices[0] as number], 1)],
];

const baseMutations: readonly DraftMutation<'BaseTx'>[] = [['too large a transaction', 'MEMPOOL_TX_TOO_LARGE', makeTooLarge]];

const importMutations: readonly DraftMutation<'ImportTx'>[] = [
  ['nothing imported', 'TX_NO_IMPORT_INPUTS', (tx, draft) => replaceImported(draft, tx, [])],
  ['imported from this chain', 'TX_SAME_CHAIN', (tx, draft) => editDraft(draft, { sourceChain: tx.blockchainID })],
  ['imported from an unknown chain', 'TX_UNKNOWN_CHAIN', (_, draft, world) => editDraft(draft, { sourceChain: randomId(world) })],
  [
    'imported from the other chain',
    'TX_UTXO_NOT_FOUND',
    (tx, draft, { chains }) => editDraft(draft, { sourceChain: chains.find((chain) => chain !== tx.sourceChain) }),
  ],
  [
    'an unknown output imported',
    'TX_UTXO_NOT_FOUND',
    (tx, draft, world) =>
      editDraft(draft, {
        importedInputs: tx.importedInputs.map((one, i) => (i === 0 ? { ...one, txID: randomId(world) } : one)).sort(compareRefs),
      }),
  ],
  [
    'a wrong amount imported',
    'TX_WRONG_AMOUNT',
    (tx, draft) => {
      const [first, ...others] = tx.importedInputs;
      if (first === undefined || first.input.amount === maxU64) return undefined;
      return editDraft(draft, { importedInputs: [{ ...first, input: { ...first.input, amount: first.input.amount + 1n } }, ...others] });
    },
  ],
  [
    'imported twice',
    'TX_INPUTS_NOT_SORTED',
    (tx, draft) => replaceImported(draft, tx, [...tx.importedInputs, ...tx.importedInputs.slice(-1)]),
  ],
];

const exportMutations: readonly DraftMutation<'ExportTx'>[] = [
  ['nothing exported', 'TX_NO_EXPORT_OUTPUTS', (_, draft) => editDraft(draft, { exportedOutputs: [] })],
  ['exported to this chain', 'TX_SAME_CHAIN', (tx, draft) => editDraft(draft, { destinationChain: tx.blockchainID })],
  ['exported to an unknown chain', 'TX_UNKNOWN_CHAIN', (_, draft, world) => editDraft(draft, { destinationChain: randomId(world) })],
  [
    'unsorted exports',
    'TX_OUTPUTS_NOT_SORTED',
    (tx, draft) => replaceItems(draft, 'exportedOutputs', swapFirstTwo(TransferableOutput, tx.exportedOutputs)),
  ],
  [
    'an export with amount 0',
    'TX_NO_VALUE_OUTPUT',
    (_, draft, world) => editDraft(draft, { exportedOutputs: [feeAssetOutput(world, 0n)] }),
  ],
  [
    'an unspendable export',
    'TX_OUTPUT_UNSPENDABLE',
    (_, draft, world) => editDraft(draft, { exportedOutputs: [unspendableOutput(world)] }),
  ],
];

/** Mutations by kind of transaction; those of a kind are only applied to drafts of that kind. */
export const draftMutations: { readonly [K in UnsignedTx['kind'] | 'any']: readonly DraftMutation[] } = {
  any: anyKindMutations,
  BaseTx: baseMutations as readonly DraftMutation[],
  CreateAssetTx: createAssetMutations as readonly DraftMutation[],
  OperationTx: operationMutations as readonly DraftMutation[],
  ImportTx: importMutations as readonly DraftMutation[],
  ExportTx: exportMutations as readonly DraftMutation[],
};

const randomId = ({ random }: World): Id => toHex(random.bytes(32)) as Id;
const randomKey = ({ random, wallet }: World): Key => random.pick(wallet.keys);
const randomOwner = (world: World): OutputOwners => ownedBy([randomKey(world)]);
const feeAssetOutput = (world: World, amount: bigint): TransferableOutput =>
  transfer(world.wallet.chainParams.feeAsset, amount, randomOwner(world));
const unspendableOutput = (world: World) => transfer(world.wallet.chainParams.feeAsset, 1n, ownedBy([randomKey(world)], 2));

function addOutputOwnedBy(owners: (world: World) => OutputOwners): DraftMutation[2] {
  return (_, draft, world) => addOutputs(draft, transfer(world.wallet.chainParams.feeAsset, 1n, owners(world)));
}

const duplicateOwner = ({ address }: Key): OutputOwners => ({ locktime: 0n, threshold: 1, addresses: [address, address] });
const reverseOwners = (owners: OutputOwners): OutputOwners => ({ ...owners, addresses: owners.addresses.toReversed() });

const replaceItems = (draft: Draft, field: string, items: readonly unknown[] | undefined): Draft | undefined =>
  items && editDraft(draft, { [field]: items });

/** Adds an output so that the fee is one unit too low. */
function payTooLittleFee(tx: UnsignedTx, draft: Draft, world: World): Draft | undefined {
  const { feeAsset, txFee, createAssetTxFee } = world.wallet.chainParams;
  const inputs = [...tx.inputs, ...(tx.kind === 'ImportTx' ? tx.importedInputs : [])].filter(({ assetID }) => assetID === feeAsset);
  const outputs = [...tx.outputs, ...(tx.kind === 'ExportTx' ? tx.exportedOutputs : [])].filter(({ assetID }) => assetID === feeAsset);
  const left = inputs.reduce((sum, { input }) => sum + input.amount, 0n) - outputs.reduce((sum, { output }) => sum + output.amount, 0n);
  const fee = tx.kind === 'CreateAssetTx' ? createAssetTxFee : txFee;
  return left < fee ? undefined : addOutputs(draft, feeAssetOutput(world, left - fee + 1n));
}

function reverseInputs({ inputs }: UnsignedTx, draft: Draft): Draft | undefined {
  if (inputs.length < 2) return undefined;
  const signers = [...draft.signers.slice(0, inputs.length).reverse(), ...draft.signers.slice(inputs.length)];
  return { ...editDraft(draft, { inputs: inputs.toReversed() }), signers };
}

/** Changes a random input. */
function changeRandomInput(change: (input: TransferableInput) => TransferableInput | undefined): DraftMutation[2] {
  return ({ inputs }, draft, { random }) => {
    if (inputs.length === 0) return undefined;
    const at = random.below(inputs.length);
    const changed = change(inputs[at] as TransferableInput);
    return changed && changeInputAt(draft, at, () => changed);
  };
}

/** Changes the signature indices of a random input, if it has at least `atLeast` of them. */
function changeSignatureIndices(change: (indices: number[]) => number[], atLeast = 0): DraftMutation[2] {
  return changeRandomInput((input) =>
    input.input.signatureIndices.length < atLeast
      ? undefined
      : { ...input, input: { ...input.input, signatureIndices: change(input.input.signatureIndices) } },
  );
}

function changeAmount(tx: UnsignedTx, draft: Draft, world: World): Draft | undefined {
  return changeRandomInput((input) =>
    input.input.amount === maxU64 ? undefined : { ...input, input: { ...input.input, amount: input.input.amount + 1n } },
  )(tx, draft, world);
}

const feeAssetInput = ({ wallet }: World, { inputs }: UnsignedTx, over: Partial<TransferableInput>): TransferableInput => ({
  txID: inputs[0]?.txID ?? zeroId,
  outputIndex: 0,
  assetID: wallet.chainParams.feeAsset,
  input: { kind: 'secp256k1fx.TransferInput', amount: 1n, signatureIndices: [0] },
  ...over,
});

/** Adds an input that spends the output. Its asset must be new to the transaction or the fee asset, so that no sum overflows a u64. */
function addInputOf(tx: UnsignedTx, draft: Draft, world: World, utxo: Utxo | undefined): Draft | undefined {
  if (utxo === undefined || utxo.id === undefined) return undefined;
  const { txID, outputIndex, assetID, output } = utxo;
  const imported = tx.kind === 'ImportTx' ? tx.importedInputs : [];
  const inPlay = [...tx.inputs, ...imported].some((input) => input.assetID === assetID) && assetID !== world.wallet.chainParams.feeAsset;
  if (inPlay || tx.inputs.some((input) => input.txID === txID && input.outputIndex === outputIndex)) return undefined;
  const spends = tx.kind === 'OperationTx' && tx.operations.some(({ inputIDs }) => inputIDs.some((ref) => ref.txID === txID));
  if (spends) return undefined;
  const signable = output.addresses.flatMap((address, i) => {
    const key = world.wallet.keys.find((candidate) => candidate.address === address);
    return key === undefined ? [] : [{ i, key }];
  });
  const signing = signable.length >= output.threshold ? signable.slice(0, output.threshold) : [{ i: 0, key: randomKey(world) }];
  const amount = output.kind === 'secp256k1fx.TransferOutput' ? output.amount : 1n;
  const input = { kind: 'secp256k1fx.TransferInput' as const, amount, signatureIndices: signing.map(({ i }) => i) };
  return addInput(
    draft,
    { txID, outputIndex, assetID, input },
    signing.map(({ key }) => key),
  );
}

const foreignOutput = (world: World): Utxo | undefined =>
  findOutput(world, ({ output, assetID }) => {
    const isOurs = output.addresses.some((address) => world.wallet.keys.some((key) => key.address === address));
    const isUsable = output.kind === 'secp256k1fx.TransferOutput' && world.model.assets.get(assetID)?.includes(0) === true;
    return !isOurs && isUsable && output.threshold === 1 && output.locktime <= world.now();
  });

const nonTransferOutput = (world: World): Utxo | undefined =>
  findOutput(world, ({ id, output }) => output.kind !== 'secp256k1fx.TransferOutput' && !world.pendingInputs.has(id));

function findOutput({ model }: World, isWanted: (utxo: Utxo) => boolean): Utxo | undefined {
  for (const utxo of model.utxos.values()) if (isWanted(utxo)) return utxo;
  return undefined;
}

function changeAsset(tx: UnsignedTx, draft: Draft, world: World): Draft | undefined {
  const { feeAsset } = world.wallet.chainParams;
  const other = [...world.spendable.transfers].find(([assetID]) => assetID !== feeAsset)?.[1];
  const utxo = availableOf(world, other)[0];
  if (utxo === undefined || tx.inputs.some(({ txID, outputIndex }) => txID === utxo.txID && outputIndex === utxo.outputIndex))
    return undefined;
  return addInput(draft, feeAssetInput(world, tx, { txID: utxo.txID, outputIndex: utxo.outputIndex }), [randomKey(world)]);
}

/** Adds 64 KiB of outputs with amount 1, paid from an existing output. */
function makeTooLarge({ outputs }: Extract<UnsignedTx, { kind: 'BaseTx' }>, draft: Draft, world: World): Draft | undefined {
  const count = 830n;
  // Verifying these is slow, so only a few are made.
  if (!chance(world.random, 8)) return undefined;
  const { feeAsset } = world.wallet.chainParams;
  const at = outputs.findIndex(({ assetID, output }) => assetID === feeAsset && output.amount > count);
  const from = outputs[at];
  if (from === undefined) return undefined;
  const less = { ...from, output: { ...from.output, amount: from.output.amount - count } };
  const many = Array.from({ length: Number(count) }, () => transfer(feeAsset, 1n, ownedBy([world.wallet.keys[0] as Key])));
  return addOutputs(editDraft(draft, { outputs: outputs.toSpliced(at, 1) }), less, ...many);
}

/** Replaces the imported inputs; additional ones get the signers of the first. */
function replaceImported(draft: Draft, tx: Extract<UnsignedTx, { kind: 'ImportTx' }>, importedInputs: TransferableInput[]): Draft {
  const first = tx.inputs.length;
  const keys = importedInputs.map((_, i) => draft.signers[first + i] ?? draft.signers[first] ?? []);
  return { ...editDraft(draft, { importedInputs }), signers: [...draft.signers.slice(0, first), ...keys] };
}
