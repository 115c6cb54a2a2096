import { addressLength } from '../../base/bytes/address.ts';
import { MintOutput, NftMintOutput, NftTransferOutput, OutputOwners, TransferOutput } from './output.ts';
import { typeIdOf } from './type-ids.ts';

/**
 * Where the fields of an output are in its bytes, for readers of thousands of outputs: decoding takes ten times as long. All offsets come from the
 * codecs of output.ts. Every output has a head (an amount, a group, or nothing) and then its owners.
 */

export const readU32 = (bytes: Uint8Array, at: number): number =>
  (((bytes[at] as number) << 24) | ((bytes[at + 1] as number) << 16) | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number)) >>> 0;

/** Bytes of a type ID, and of the length of a list. */
export const typeSize = 4;
export const countSize = 4;

/** Offsets within the owners of an output. */
export const ownersFields = {
  locktime: OutputOwners.offsetOf('locktime'),
  threshold: OutputOwners.offsetOf('threshold'),
  count: OutputOwners.offsetOf('addresses'),
  addresses: OutputOwners.offsetOf('addresses') + countSize,
} as const;

/** The end of the owners that begin at an offset, which is the end of their output. */
export const ownersEnd = (bytes: Uint8Array, at: number): number =>
  at + ownersFields.addresses + addressLength * readU32(bytes, at + ownersFields.count);

export const transferType = typeIdOf('secp256k1fx.TransferOutput');
export const nftMintType = typeIdOf('nftfx.MintOutput');
export const nftTransferType = typeIdOf('nftfx.TransferOutput');

/** Where the payload of an NFT is, after its length. */
export const nftPayload = NftTransferOutput.offsetOf('payload') + countSize;

/** The number of bytes before the owners of an output that begins at `at`, behind its type ID. */
export const headSize = (bytes: Uint8Array, typeID: number, at: number): number =>
  typeID === nftTransferType ? nftPayload + readU32(bytes, at + nftPayload - countSize) : (fixedHeads[typeID] ?? 0);

const fixedHeads: number[] = [];
for (const [typeID, codec] of [
  [typeIdOf('secp256k1fx.MintOutput'), MintOutput],
  [transferType, TransferOutput],
  [nftMintType, NftMintOutput],
  [typeIdOf('propertyfx.MintOutput'), OutputOwners],
  [typeIdOf('propertyfx.OwnedOutput'), OutputOwners],
] as const)
  fixedHeads[typeID] = (codec as typeof OutputOwners).offsetOf('locktime');
