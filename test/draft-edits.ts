import type { TransferableInput } from '../src/avm/tx/input.ts';
import { Operation } from '../src/avm/tx/operation.ts';
import { TransferableOutput } from '../src/avm/tx/output.ts';
import type { UnsignedTx } from '../src/avm/tx/unsigned.ts';
import { compareRefs } from '../src/avm/verify/flow.ts';
import { compare } from '../src/base/bytes/octets.ts';
import type { Codec } from '../src/base/codec/codec.ts';
import { pack } from '../src/base/codec/pack.ts';
import type { World } from './random-world.ts';
import type { Draft, Key } from './wallet-kit.ts';

/** A change that makes a valid draft invalid, and the resulting error code if it is certain. Returns undefined if it does not apply to the draft. */
export type DraftMutation<K extends UnsignedTx['kind'] = UnsignedTx['kind']> = readonly [
  name: string,
  code: string | undefined,
  mutate: (unsigned: Extract<UnsignedTx, { kind: K }>, draft: Draft, world: World) => Draft | undefined,
];

/** Replaces some fields of the transaction. */
export const editDraft = (draft: Draft, fields: object): Draft => ({ ...draft, unsigned: { ...draft.unsigned, ...fields } as UnsignedTx });

/** Adds outputs in the required order. */
export const addOutputs = (draft: Draft, ...more: TransferableOutput[]): Draft =>
  editDraft(draft, { outputs: sortByBytes(TransferableOutput, [...draft.unsigned.outputs, ...more]) });

/** Adds an input and its signers in the required order. */
export function addInput(draft: Draft, input: TransferableInput, keys: readonly Key[]): Draft {
  const { inputs } = draft.unsigned;
  const found = inputs.findIndex((other) => compareRefs(other, input) > 0);
  const at = found < 0 ? inputs.length : found;
  return { ...editDraft(draft, { inputs: inputs.toSpliced(at, 0, input) }), signers: draft.signers.toSpliced(at, 0, keys) };
}

/** Changes one input, but not its position. */
export const changeInputAt = (draft: Draft, at: number, change: (input: TransferableInput) => TransferableInput): Draft =>
  editDraft(draft, { inputs: draft.unsigned.inputs.map((input, i) => (i === at ? change(input) : input)) });

/** Changes operations and sorts them again, each with its signers. */
export function changeOperations(draft: Draft, change: (operation: Operation, i: number) => Operation): Draft {
  const { unsigned, signers } = draft;
  if (unsigned.kind !== 'OperationTx') return draft;
  const first = unsigned.inputs.length;
  const changed = unsigned.operations
    .map((operation, i) => ({ operation: change(operation, i), keys: signers[first + i] as readonly Key[] }))
    .sort((a, b) => compare(pack(Operation, a.operation), pack(Operation, b.operation)));
  return {
    unsigned: { ...unsigned, operations: changed.map(({ operation }) => operation) },
    signers: [...signers.slice(0, first), ...changed.map(({ keys }) => keys)],
  };
}

/** Swaps the first two adjacent items that differ. Returns undefined if all are equal. */
export function swapFirstTwo<T>(codec: Codec<T>, items: readonly T[]): T[] | undefined {
  const bytes = items.map((item) => pack(codec, item));
  const at = bytes.findIndex((one, i) => i > 0 && compare(one, bytes[i - 1] as Uint8Array) !== 0);
  if (at < 0) return undefined;
  return items.toSpliced(at - 1, 2, items[at] as T, items[at - 1] as T);
}

const sortByBytes = <T>(codec: Codec<T>, items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, bytes: pack(codec, item) }))
    .sort((a, b) => compare(a.bytes, b.bytes))
    .map(({ item }) => item);
