import type { JsonContext, TypeOf } from '../../base/codec/codec.ts';
import { id, list, u32, u64 } from '../../base/codec/primitive.ts';
import { struct } from '../../base/codec/struct.ts';
import { fxIdJson, fxIndexOf } from './fx.ts';
import { goInterface } from './type-ids.ts';

/** The owners that sign, as positions in the address list of the spent output. */
export const SigIndices = struct({ signatureIndices: list(u32) });
export type SigIndices = TypeOf<typeof SigIndices>;

export const TransferInput = struct({ amount: u64, ...SigIndices.fields });
export type TransferInput = TypeOf<typeof TransferInput>;

export const TransferableIn = goInterface('avax.TransferableIn', { 'secp256k1fx.TransferInput': TransferInput });
export type TransferableIn = TypeOf<typeof TransferableIn>;

/** A reference to an output: the transaction that created it and the index in it. */
export const UtxoRef = struct({ txID: id, outputIndex: u32 });
export type UtxoRef = TypeOf<typeof UtxoRef>;

const transferable = struct({ ...UtxoRef.fields, assetID: id, input: TransferableIn });

export const TransferableInput = {
  ...transferable,
  json: (v: TypeOf<typeof transferable>, context: JsonContext) =>
    `{"txID":"${context.id(v.txID)}","outputIndex":${v.outputIndex},"assetID":"${context.id(v.assetID)}",` +
    `"fxID":${fxIdJson(fxIndexOf(v.input.kind))},"input":${TransferableIn.json(v.input, context)}}`,
};
export type TransferableInput = TypeOf<typeof TransferableInput>;
