import type { Codec, JsonContext, TypeOf } from '../../base/codec/codec.ts';
import { fixedBytes, list } from '../../base/codec/primitive.ts';
import { struct } from '../../base/codec/struct.ts';
import { fxIdJson, fxIndexOf } from './fx.ts';
import { TransferInput } from './input.ts';
import { MintOperation, NftMintOperation, NftTransferOperation, PropertyBurnOperation, PropertyMintOperation } from './operation.ts';
import { MintOutput, NftMintOutput, NftTransferOutput, OutputOwners, TransferOutput } from './output.ts';
import { goInterface } from './type-ids.ts';

/** r, s and the recovery id. */
export const signatureLength = 65;

const Signatures = struct({ signatures: list(fixedBytes(signatureLength)) });

/**
 * AvalancheGo's credential slot is loosely typed: every type that implements verify.Verifiable parses there. A wrong type is rejected
 * later, by its own rules or when the input is verified. AvalancheGo: vms/avm/fxs/fx.go, FxCredential.
 */
export const Credential = goInterface('verify.Verifiable', {
  'secp256k1fx.TransferInput': TransferInput,
  'secp256k1fx.MintOutput': MintOutput,
  'secp256k1fx.TransferOutput': TransferOutput,
  'secp256k1fx.MintOperation': MintOperation,
  'secp256k1fx.Credential': Signatures,
  'nftfx.MintOutput': NftMintOutput,
  'nftfx.TransferOutput': NftTransferOutput,
  'nftfx.MintOperation': NftMintOperation,
  'nftfx.TransferOperation': NftTransferOperation,
  'nftfx.Credential': Signatures,
  'propertyfx.MintOutput': OutputOwners,
  'propertyfx.OwnedOutput': OutputOwners,
  'propertyfx.MintOperation': PropertyMintOperation,
  'propertyfx.BurnOperation': PropertyBurnOperation,
  'propertyfx.Credential': Signatures,
});
export type Credential = TypeOf<typeof Credential>;

const credentialList = list(Credential);

export const Credentials: Codec<Credential[]> = {
  ...credentialList,
  json: (v, context: JsonContext) =>
    `[${v.map((c) => `{"fxID":${fxIdJson(fxIndexOf(c.kind))},"credential":${Credential.json(c, context)}}`).join(',')}]`,
};
