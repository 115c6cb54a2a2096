import { toHex } from '../src/bytes/hex.ts';
import { type Id, zeroId } from '../src/bytes/id.ts';
import type { UtxoRef } from '../src/tx/input.ts';
import type { FxOperation, Operation } from '../src/tx/operation.ts';
import { compareRefs } from '../src/verify/flow.ts';
import type { World } from './random-world.ts';
import { type DraftSpoiler, edit, withOperations } from './spoiling.ts';
import { type Draft, ownedBy } from './wallet-kit.ts';

type Spoiler = DraftSpoiler<'OperationTx'>;

/** The first operation changed; nothing if the change does not fit it. */
const first =
  (change: (operation: Operation, world: World, draft: Draft) => Operation | undefined): Spoiler[2] =>
  ({ operations }, draft, world) => {
    const [one] = operations;
    const changed = one && change(one, world, draft);
    return changed && withOperations(draft, (operation, i) => (i === 0 ? changed : operation));
  };

/** What the first operation of a kind that has it does, changed. */
const firstFx =
  (change: (operation: FxOperation) => FxOperation | undefined): Spoiler[2] =>
  ({ operations }, draft) => {
    const at = operations.findIndex(({ operation }) => change(operation) !== undefined);
    if (at < 0) return undefined;
    return withOperations(draft, (one, i) => (i === at ? { ...one, operation: change(one.operation) as FxOperation } : one));
  };

const unspendable = ownedBy([], 1);

export const operationSpoilers: readonly Spoiler[] = [
  [
    'no operations',
    'TX_NO_OPERATIONS',
    (tx, draft) => ({ ...edit(draft, { operations: [] }), signers: draft.signers.slice(0, tx.inputs.length) }),
  ],
  ['operations in the wrong order', 'TX_OPERATIONS_NOT_SORTED', reversedOperations],
  ['an operation twice', 'TX_DOUBLE_SPEND', twice],
  [
    'an input spent by an operation too',
    'TX_DOUBLE_SPEND',
    first((operation, _, { unsigned }) => unsigned.inputs[0] && { ...operation, inputIDs: [refOf(unsigned.inputs[0])] }),
  ],
  ['an output twice in an operation', 'TX_UTXO_IDS_NOT_SORTED', first((one) => ({ ...one, inputIDs: [...one.inputIDs, ...one.inputIDs] }))],
  ['an operation on no asset', 'TX_EMPTY_ASSET_ID', first((one) => ({ ...one, assetID: zeroId }))],
  ['an operation on another asset', 'TX_ASSET_MISMATCH', first((one, { wallet }) => ({ ...one, assetID: wallet.terms.feeAsset }))],
  [
    'an operation on an unknown output',
    'TX_UTXO_NOT_FOUND',
    first((one, { random }) => ({ ...one, inputIDs: [{ txID: toHex(random.bytes(32)) as Id, outputIndex: 0 }] })),
  ],
  ['an operation on two outputs', 'TX_WRONG_UTXO_COUNT', first(onTwo)],
  ['an operation on none', 'TX_WRONG_UTXO_COUNT', first((one) => ({ ...one, inputIDs: [] }))],
  [
    'another operation than the output is for',
    undefined,
    first((one) =>
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
    firstFx((op) => {
      if (op.kind === 'nftfx.MintOperation') return { ...op, groupID: (op.groupID ^ 1) >>> 0 };
      return op.kind === 'nftfx.TransferOperation'
        ? { ...op, output: { ...op.output, groupID: (op.output.groupID ^ 1) >>> 0 } }
        : undefined;
    }),
  ],
  [
    'a wrong payload',
    'TX_WRONG_PAYLOAD',
    firstFx((op) =>
      op.kind === 'nftfx.TransferOperation' ? { ...op, output: { ...op.output, payload: otherPayload(op.output.payload) } } : undefined,
    ),
  ],
  [
    'too large a payload',
    'TX_PAYLOAD_TOO_LARGE',
    firstFx((op) => (op.kind === 'nftfx.MintOperation' ? { ...op, payload: new Uint8Array(1025) } : undefined)),
  ],
  [
    'a mint that changes its owners',
    'TX_WRONG_MINT_OUTPUT',
    firstFx((op) => ('mintOutput' in op ? { ...op, mintOutput: { ...op.mintOutput, locktime: op.mintOutput.locktime ^ 1n } } : undefined)),
  ],
  ['an unspendable mint', 'TX_OUTPUT_UNSPENDABLE', firstFx((op) => ('mintOutput' in op ? { ...op, mintOutput: unspendable } : undefined))],
  [
    'an unspendable NFT',
    'TX_OUTPUT_UNSPENDABLE',
    firstFx((op) => (op.kind === 'nftfx.MintOperation' ? { ...op, outputs: [unspendable] } : undefined)),
  ],
  [
    'a mint of nothing',
    'TX_NO_VALUE_OUTPUT',
    firstFx((op) =>
      op.kind === 'secp256k1fx.MintOperation' ? { ...op, transferOutput: { ...op.transferOutput, amount: 0n } } : undefined,
    ),
  ],
  ['a minter twice', 'TX_SIGNATURE_INDICES_NOT_SORTED', firstFx(withMinters((indices) => [...indices, indices[0] as number]))],
  ['a minter who is none', 'TX_SIGNER_OUT_OF_BOUNDS', firstFx(withMinters((indices) => indices.with(-1, 99)))],
  ['a minter too few', 'TX_TOO_FEW_SIGNERS', firstFx(withMinters((indices) => indices.slice(1)))],
];

function reversedOperations({ inputs, operations }: Parameters<Spoiler[2]>[0], draft: Draft): Draft | undefined {
  if (operations.length < 2) return undefined;
  const signers = [...draft.signers.slice(0, inputs.length), ...draft.signers.slice(inputs.length).reverse()];
  return { ...edit(draft, { operations: operations.toReversed() }), signers };
}

function twice({ operations }: Parameters<Spoiler[2]>[0], draft: Draft): Draft {
  const more = edit(draft, { operations: [...operations, ...operations.slice(-1)] });
  return { ...more, signers: [...draft.signers, ...draft.signers.slice(-1)] };
}

/** A second output of the same asset beside the first. */
function onTwo(one: Operation, { model, taken }: World, { unsigned }: Draft): Operation | undefined {
  const [ref] = one.inputIDs;
  const used = unsigned.kind === 'OperationTx' ? unsigned.operations.flatMap(({ inputIDs }) => inputIDs) : [];
  const own = new Set([...used, ...unsigned.inputs].map((other) => `${other.txID}${other.outputIndex}`));
  for (const other of model.utxos.values())
    if (other.assetID === one.assetID && ref !== undefined && !taken.has(other.id) && !own.has(`${other.txID}${other.outputIndex}`))
      return { ...one, inputIDs: [ref, refOf(other)].sort(compareRefs) };
  return undefined;
}

const refOf = ({ txID, outputIndex }: UtxoRef): UtxoRef => ({ txID, outputIndex });

const otherPayload = (payload: Uint8Array): Uint8Array => (payload.length === 0 ? Uint8Array.of(1) : payload.subarray(1));

/** The signers of a mint changed; an output that nobody need sign for has none. */
function withMinters(change: (indices: number[]) => number[]): (op: FxOperation) => FxOperation | undefined {
  return (op) =>
    'mintInput' in op && op.mintInput.signatureIndices.length > 0
      ? { ...op, mintInput: { signatureIndices: change(op.mintInput.signatureIndices) } }
      : undefined;
}
