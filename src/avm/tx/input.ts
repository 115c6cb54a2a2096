import type { JsonContext, TypeOf } from '../../base/codec/codec.ts';
import { id, list, u32, u64 } from '../../base/codec/primitive.ts';
import { struct } from '../../base/codec/struct.ts';
import { fxIdJson, fxIndexOf } from './fx.ts';
import { goInterface } from './type-ids.ts';

/*
 * Codecs of the inputs of transactions, each with the type of its values. The codecs of transactions (unsigned.ts, operation.ts) contain them. From
 * the inside out: TransferInput (amount and signers), TransferableIn (a type ID, then a TransferInput), TransferableInput (the spent output, its
 * asset, and a TransferableIn). The names are AvalancheGo's.
 */

/** The owners that sign, as positions in the address list of the spent output. */
export const SigIndices = struct({ signatureIndices: list(u32) });
export type SigIndices = TypeOf<typeof SigIndices>;

/** Spends an amount: the whole amount of the spent output. AvalancheGo: vms/secp256k1fx/transfer_input.go. */
export const TransferInput = struct({ amount: u64, ...SigIndices.fields });
export type TransferInput = TypeOf<typeof TransferInput>;

/** Any input that a transfer may have, as a Go interface: the type ID in front of the value tells its type. There is one type; `kind` is its name. */
export const TransferableIn = goInterface('avax.TransferableIn', { 'secp256k1fx.TransferInput': TransferInput });
export type TransferableIn = TypeOf<typeof TransferableIn>;

/** A reference to an output: the transaction that created it and the index in it. */
export const UtxoRef = struct({ txID: id, outputIndex: u32 });
export type UtxoRef = TypeOf<typeof UtxoRef>;

/** The fields of a `TransferableInput` as they are in the bytes. */
const inputBytes = struct({ ...UtxoRef.fields, assetID: id, input: TransferableIn });

/**
 * An input of a transaction. AvalancheGo: vms/components/avax/transferables.go. Its JSON is written here because it has a field that the bytes do
 * not have: `fxID`, the ID of the feature extension (fx: secp256k1fx, nftfx or propertyfx) that defines the type of the input.
 */
export const TransferableInput = {
  ...inputBytes,
  json: (v: TypeOf<typeof inputBytes>, context: JsonContext) =>
    `{"txID":"${context.id(v.txID)}","outputIndex":${v.outputIndex},"assetID":"${context.id(v.assetID)}",` +
    `"fxID":${fxIdJson(fxIndexOf(v.input.kind))},"input":${TransferableIn.json(v.input, context)}}`,
};
export type TransferableInput = TypeOf<typeof TransferableInput>;
