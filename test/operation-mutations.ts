import type { UtxoRef } from '../src/avm/tx/input.ts';
import type { FxOperation, Operation } from '../src/avm/tx/operation.ts';
import { compareRefs } from '../src/avm/verify/flow.ts';
import { toHex } from '../src/base/bytes/hex.ts';
import { type Id, zeroId } from '../src/base/bytes/id.ts';
import { changeOperations, type DraftMutation, editDraft } from './draft-edits.ts';
import type { World } from './random-world.ts';
import { type Draft, ownedBy } from './wallet-kit.ts';

type OperationMutation = DraftMutation<'OperationTx'>;

/** Changes the first operation; returns undefined if the change does not apply to it. */
const changeFirst =
  (change: (operation: Operation, world: World, draft: Draft) => Operation | undefined): OperationMutation[2] =>
  ({ operations }, draft, world) => {
    const [one] = operations;
    const changed = one && change(one, world, draft);
    return changed && changeOperations(draft, (operation, i) => (i === 0 ? changed : operation));
  };

/** Changes the first operation that the change applies to. */
const changeFirstFx =
  (change: (operation: FxOperation) => FxOperation | undefined): OperationMutation[2] =>
  ({ operations }, draft) => {
    const at = operations.findIndex(({ operation }) => change(operation) !== undefined);
    if (at < 0) return undefined;
    return changeOperations(draft, (one, i) => (i === at ? { ...one, operation: change(one.operation) as FxOperation } : one));
  };

const unspendable = ownedBy([], 1);

export const operationMutations: readonly OperationMutation[] = [
  [
    'no operations',
    'TX_NO_OPERATIONS',
    (tx, draft) => ({ ...editDraft(draft, { operations: [] }), signers: draft.signers.slice(0, tx.inputs.length) }),
  ],
  ['operations in the wrong order', 'TX_OPERATIONS_NOT_SORTED', reverseOperations],
  ['an operation twice', 'TX_DOUBLE_SPEND', repeatOperation],
  [
    'an input spent by an operation too',
    'TX_DOUBLE_SPEND',
    changeFirst((operation, _, { unsigned }) => unsigned.inputs[0] && { ...operation, inputIDs: [refOf(unsigned.inputs[0])] }),
  ],
  [
    'an output twice in an operation',
    'TX_UTXO_IDS_NOT_SORTED',
    changeFirst((one) => ({ ...one, inputIDs: [...one.inputIDs, ...one.inputIDs] })),
  ],
  ['an operation on no asset', 'TX_EMPTY_ASSET_ID', changeFirst((one) => ({ ...one, assetID: zeroId }))],
  [
    'an operation on another asset',
    'TX_ASSET_MISMATCH',
    changeFirst((one, { wallet }) => ({ ...one, assetID: wallet.chainParams.feeAsset })),
  ],
  [
    'an operation on an unknown output',
    'TX_UTXO_NOT_FOUND',
    changeFirst((one, { random }) => ({ ...one, inputIDs: [{ txID: toHex(random.bytes(32)) as Id, outputIndex: 0 }] })),
  ],
  ['an operation on two outputs', 'TX_WRONG_UTXO_COUNT', changeFirst(addSecondOutput)],
  ['an operation on no output', 'TX_WRONG_UTXO_COUNT', changeFirst((one) => ({ ...one, inputIDs: [] }))],
  [
    'an operation that does not match the type of its output',
    undefined,
    changeFirst((one) =>
      one.operation.kind === 'propertyfx.BurnOperation'
        ? {
            ...one,
            operation: {
              kind: 'nftfx.MintOperation',
              mintInput: { signatureIndices: [0] },
              groupID: 0,
              payload: new Uint8Array(0),
              outputs: [],
            },
          }
        : { ...one, operation: { kind: 'propertyfx.BurnOperation', signatureIndices: [0] } },
    ),
  ],
  [
    'a wrong group',
    'TX_WRONG_GROUP',
    changeFirstFx((op) => {
      if (op.kind === 'nftfx.MintOperation') return { ...op, groupID: (op.groupID ^ 1) >>> 0 };
      return op.kind === 'nftfx.TransferOperation'
        ? { ...op, output: { ...op.output, groupID: (op.output.groupID ^ 1) >>> 0 } }
        : undefined;
    }),
  ],
  [
    'a wrong payload',
    'TX_WRONG_PAYLOAD',
    changeFirstFx((op) =>
      op.kind === 'nftfx.TransferOperation' ? { ...op, output: { ...op.output, payload: otherPayload(op.output.payload) } } : undefined,
    ),
  ],
  [
    'too large a payload',
    'TX_PAYLOAD_TOO_LARGE',
    changeFirstFx((op) => (op.kind === 'nftfx.MintOperation' ? { ...op, payload: new Uint8Array(1025) } : undefined)),
  ],
  [
    'a mint that changes its owners',
    'TX_WRONG_MINT_OUTPUT',
    changeFirstFx((op) =>
      'mintOutput' in op ? { ...op, mintOutput: { ...op.mintOutput, locktime: op.mintOutput.locktime ^ 1n } } : undefined,
    ),
  ],
  [
    'an unspendable mint',
    'TX_OUTPUT_UNSPENDABLE',
    changeFirstFx((op) => ('mintOutput' in op ? { ...op, mintOutput: unspendable } : undefined)),
  ],
  [
    'an unspendable NFT',
    'TX_OUTPUT_UNSPENDABLE',
    changeFirstFx((op) => (op.kind === 'nftfx.MintOperation' ? { ...op, outputs: [unspendable] } : undefined)),
  ],
  [
    'a mint of nothing',
    'TX_NO_VALUE_OUTPUT',
    changeFirstFx((op) =>
      op.kind === 'secp256k1fx.MintOperation' ? { ...op, transferOutput: { ...op.transferOutput, amount: 0n } } : undefined,
    ),
  ],
  ['a minter twice', 'TX_SIGNATURE_INDICES_NOT_SORTED', changeFirstFx(withMinters((indices) => [...indices, indices[0] as number]))],
  ['a minter index out of range', 'TX_SIGNER_OUT_OF_BOUNDS', changeFirstFx(withMinters((indices) => indices.with(-1, 99)))],
  ['one minter too few', 'TX_TOO_FEW_SIGNERS', changeFirstFx(withMinters((indices) => indices.slice(1)))],
];

function reverseOperations({ inputs, operations }: Parameters<OperationMutation[2]>[0], draft: Draft): Draft | undefined {
  if (operations.length < 2) return undefined;
  const signers = [...draft.signers.slice(0, inputs.length), ...draft.signers.slice(inputs.length).reverse()];
  return { ...editDraft(draft, { operations: operations.toReversed() }), signers };
}

function repeatOperation({ operations }: Parameters<OperationMutation[2]>[0], draft: Draft): Draft {
  const more = editDraft(draft, { operations: [...operations, ...operations.slice(-1)] });
  return { ...more, signers: [...draft.signers, ...draft.signers.slice(-1)] };
}

/** Adds a second output of the same asset to the operation. */
function addSecondOutput(one: Operation, { model, pendingInputs }: World, { unsigned }: Draft): Operation | undefined {
  const [ref] = one.inputIDs;
  const used = unsigned.kind === 'OperationTx' ? unsigned.operations.flatMap(({ inputIDs }) => inputIDs) : [];
  const own = new Set([...used, ...unsigned.inputs].map((other) => `${other.txID}${other.outputIndex}`));
  for (const other of model.utxos.values())
    if (other.assetID === one.assetID && ref !== undefined && !pendingInputs.has(other.id) && !own.has(`${other.txID}${other.outputIndex}`))
      return { ...one, inputIDs: [ref, refOf(other)].sort(compareRefs) };
  return undefined;
}

const refOf = ({ txID, outputIndex }: UtxoRef): UtxoRef => ({ txID, outputIndex });

const otherPayload = (payload: Uint8Array): Uint8Array => (payload.length === 0 ? Uint8Array.of(1) : payload.subarray(1));

/** Changes the signer indices of a mint; returns undefined for operations without signers. */
function withMinters(change: (indices: number[]) => number[]): (op: FxOperation) => FxOperation | undefined {
  return (op) =>
    'mintInput' in op && op.mintInput.signatureIndices.length > 0
      ? { ...op, mintInput: { signatureIndices: change(op.mintInput.signatureIndices) } }
      : undefined;
}
