import { compare } from '../src/bytes/octets.ts';
import type { Codec } from '../src/codec/codec.ts';
import { pack } from '../src/codec/pack.ts';
import type { TransferableInput } from '../src/tx/input.ts';
import { Operation } from '../src/tx/operation.ts';
import { TransferableOutput } from '../src/tx/output.ts';
import type { UnsignedTx } from '../src/tx/unsigned.ts';
import { compareRefs } from '../src/verify/flow.ts';
import type { World } from './random-world.ts';
import type { Draft, Key } from './wallet-kit.ts';

/** One way to make a valid draft bad, with the code of the fault if it has no other; nothing where the draft has no place for it. */
export type DraftSpoiler<K extends UnsignedTx['kind'] = UnsignedTx['kind']> = readonly [
  name: string,
  code: string | undefined,
  spoil: (unsigned: Extract<UnsignedTx, { kind: K }>, draft: Draft, world: World) => Draft | undefined,
];

/** A draft with some fields of its transaction replaced. */
export const edit = (draft: Draft, fields: object): Draft => ({ ...draft, unsigned: { ...draft.unsigned, ...fields } as UnsignedTx });

/** One more output, where the order of outputs wants it. */
export const withOutputs = (draft: Draft, ...more: TransferableOutput[]): Draft =>
  edit(draft, { outputs: inByteOrder(TransferableOutput, [...draft.unsigned.outputs, ...more]) });

/** One more input, where the order of inputs wants it, and who signs for it. */
export function withInput(draft: Draft, input: TransferableInput, keys: readonly Key[]): Draft {
  const { inputs } = draft.unsigned;
  const found = inputs.findIndex((other) => compareRefs(other, input) > 0);
  const at = found < 0 ? inputs.length : found;
  return { ...edit(draft, { inputs: inputs.toSpliced(at, 0, input) }), signers: draft.signers.toSpliced(at, 0, keys) };
}

/** One input changed in place: its reference, and so its place, stays. */
export const withInputAt = (draft: Draft, at: number, change: (input: TransferableInput) => TransferableInput): Draft =>
  edit(draft, { inputs: draft.unsigned.inputs.map((input, i) => (i === at ? change(input) : input)) });

/** Operations changed and put in order again, each with its signers. */
export function withOperations(draft: Draft, change: (operation: Operation, i: number) => Operation): Draft {
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

/** The first two that differ change places; nothing if all are equal. */
export function swapped<T>(codec: Codec<T>, items: readonly T[]): T[] | undefined {
  const bytes = items.map((item) => pack(codec, item));
  const at = bytes.findIndex((one, i) => i > 0 && compare(one, bytes[i - 1] as Uint8Array) !== 0);
  if (at < 0) return undefined;
  return items.toSpliced(at - 1, 2, items[at] as T, items[at - 1] as T);
}

export const inByteOrder = <T>(codec: Codec<T>, items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, bytes: pack(codec, item) }))
    .sort((a, b) => compare(a.bytes, b.bytes))
    .map(({ item }) => item);
