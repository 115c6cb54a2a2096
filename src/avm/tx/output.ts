import type { TypeOf } from '../../base/codec/codec.ts';
import { address, bytes, id, list, u32, u64 } from '../../base/codec/primitive.ts';
import { struct } from '../../base/codec/struct.ts';
import { fxIdJson, fxIndexOf } from './fx.ts';
import { goInterface } from './type-ids.ts';

export const OutputOwners = struct({ locktime: u64, threshold: u32, addresses: list(address) }, ['addresses', 'locktime', 'threshold']);
export type OutputOwners = TypeOf<typeof OutputOwners>;

export const TransferOutput = struct({ amount: u64, ...OutputOwners.fields }, ['addresses', 'amount', 'locktime', 'threshold']);
export type TransferOutput = TypeOf<typeof TransferOutput>;

export const MintOutput = OutputOwners;

export const NftMintOutput = struct({ groupID: u32, ...OutputOwners.fields }, ['addresses', 'groupID', 'locktime', 'threshold']);
export type NftMintOutput = TypeOf<typeof NftMintOutput>;

export const NftTransferOutput = struct({ groupID: u32, payload: bytes, ...OutputOwners.fields }, [
  'addresses',
  'groupID',
  'locktime',
  'payload',
  'threshold',
]);
export type NftTransferOutput = TypeOf<typeof NftTransferOutput>;

const stateOutputs = {
  'secp256k1fx.MintOutput': MintOutput,
  'secp256k1fx.TransferOutput': TransferOutput,
  'nftfx.MintOutput': NftMintOutput,
  'nftfx.TransferOutput': NftTransferOutput,
  'propertyfx.MintOutput': OutputOwners,
  'propertyfx.OwnedOutput': OutputOwners,
} as const;

/** An output of a UTXO or of an asset's initial state. */
export const Output = goInterface('verify.State', stateOutputs);
export type Output = TypeOf<typeof Output>;

/** An output in the `outputs` of a transaction: only amounts can be transferred this way. */
const TransferableOut = goInterface('avax.TransferableOut', {
  'secp256k1fx.TransferOutput': stateOutputs['secp256k1fx.TransferOutput'],
});

const transferable = struct({ assetID: id, output: TransferableOut });

export const TransferableOutput = {
  ...transferable,
  json: (v: TypeOf<typeof transferable>, context: Parameters<typeof transferable.json>[1]) =>
    `{"assetID":"${context.id(v.assetID)}","fxID":${fxIdJson(fxIndexOf(v.output.kind))},"output":${TransferableOut.json(v.output, context)}}`,
};
export type TransferableOutput = TypeOf<typeof TransferableOutput>;

const state = struct({ fxIndex: u32, outputs: list(Output) });

export const InitialState = {
  ...state,
  json: (v: TypeOf<typeof state>, context: Parameters<typeof state.json>[1]) =>
    `{"fxIndex":${v.fxIndex},"fxID":${fxIdJson(v.fxIndex)},"outputs":${state.fields.outputs.json(v.outputs, context)}}`,
};
export type InitialState = TypeOf<typeof InitialState>;
