import type { Codec, JsonContext, TypeOf } from '../../base/codec/codec.ts';
import { fixedBytes, list } from '../../base/codec/primitive.ts';
import { struct } from '../../base/codec/struct.ts';
import { union } from '../../base/codec/union.ts';
import { fxIdJson, fxIndexOf } from './fx.ts';
import { TransferInput } from './input.ts';
import { MintOperation, NftMintOperation, NftTransferOperation, PropertyBurnOperation, PropertyMintOperation } from './operation.ts';
import { MintOutput, NftMintOutput, NftTransferOutput, OutputOwners, TransferOutput } from './output.ts';
import { typeNames } from './type-ids.ts';

/** r, s and the recovery id. */
export const signatureLength = 65;

const Signatures = struct({ signatures: list(fixedBytes(signatureLength)) });

/**
 * AvalancheGo's credential slot is loosely typed: every type that implements verify.Verifiable parses there. A wrong type is rejected
 * later, by its own rules or when the input is verified. AvalancheGo: vms/avm/fxs/fx.go, FxCredential.
 */
export const Credential = union('verify.Verifiable', typeNames, {
  'secp256k1fx.TransferInput': [5, TransferInput],
  'secp256k1fx.MintOutput': [6, MintOutput],
  'secp256k1fx.TransferOutput': [7, TransferOutput],
  'secp256k1fx.MintOperation': [8, MintOperation],
  'secp256k1fx.Credential': [9, Signatures],
  'nftfx.MintOutput': [10, NftMintOutput],
  'nftfx.TransferOutput': [11, NftTransferOutput],
  'nftfx.MintOperation': [12, NftMintOperation],
  'nftfx.TransferOperation': [13, NftTransferOperation],
  'nftfx.Credential': [14, Signatures],
  'propertyfx.MintOutput': [15, OutputOwners],
  'propertyfx.OwnedOutput': [16, OutputOwners],
  'propertyfx.MintOperation': [17, PropertyMintOperation],
  'propertyfx.BurnOperation': [18, PropertyBurnOperation],
  'propertyfx.Credential': [19, Signatures],
});
export type Credential = TypeOf<typeof Credential>;

const credentialList = list(Credential);

export const Credentials: Codec<Credential[]> = {
  ...credentialList,
  json: (v, context: JsonContext) =>
    `[${v.map((c) => `{"fxID":${fxIdJson(fxIndexOf(c.kind))},"credential":${Credential.json(c, context)}}`).join(',')}]`,
};
