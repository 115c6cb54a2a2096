import type { JsonContext, TypeOf } from '../../base/codec/codec.ts';
import { bytes, id, list, u32 } from '../../base/codec/primitive.ts';
import { struct } from '../../base/codec/struct.ts';
import { fxIdJson, fxIndexOf } from './fx.ts';
import { SigIndices, UtxoRef } from './input.ts';
import { MintOutput, NftTransferOutput, OutputOwners, TransferOutput } from './output.ts';
import { goInterface } from './type-ids.ts';

export const MintOperation = struct({ mintInput: SigIndices, mintOutput: MintOutput, transferOutput: TransferOutput });
export const NftMintOperation = struct({ mintInput: SigIndices, groupID: u32, payload: bytes, outputs: list(OutputOwners) });
export const NftTransferOperation = struct({ input: SigIndices, output: NftTransferOutput });
export const PropertyMintOperation = struct({ mintInput: SigIndices, mintOutput: OutputOwners, ownedOutput: OutputOwners });
export const PropertyBurnOperation = SigIndices;

export const FxOperation = goInterface('fxs.FxOperation', {
  'secp256k1fx.MintOperation': MintOperation,
  'nftfx.MintOperation': NftMintOperation,
  'nftfx.TransferOperation': NftTransferOperation,
  'propertyfx.MintOperation': PropertyMintOperation,
  'propertyfx.BurnOperation': PropertyBurnOperation,
});
export type FxOperation = TypeOf<typeof FxOperation>;

const operation = struct({ assetID: id, inputIDs: list(UtxoRef), operation: FxOperation });

export const Operation = {
  ...operation,
  json: (v: TypeOf<typeof operation>, context: JsonContext) =>
    `{"assetID":"${context.id(v.assetID)}","inputIDs":${operation.fields.inputIDs.json(v.inputIDs, context)},` +
    `"fxID":${fxIdJson(fxIndexOf(v.operation.kind))},"operation":${FxOperation.json(v.operation, context)}}`,
};
export type Operation = TypeOf<typeof Operation>;
