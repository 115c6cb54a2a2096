import type { Output } from '../../avm/tx/output.ts';
import { typeIdOf } from '../../avm/tx/type-ids.ts';
import { type OutputClass, outputClasses } from '../state/balance.ts';
import { outputType, type StoredUtxo } from '../state/stored-utxo.ts';

/** Asset types of the Data API. It has no type for a property, which is shown as an NFT. */
export type AssetType = 'secp256k1' | 'nft';

type OutputKind = { readonly class: OutputClass; readonly type: AssetType };

const typeOfKind = (kind: Output['kind']): AssetType => (kind.startsWith('secp256k1fx.') ? 'secp256k1' : 'nft');

const kindsByTypeID: OutputKind[] = [];
for (const kind of Object.keys(outputClasses) as Output['kind'][])
  kindsByTypeID[typeIdOf(kind)] = { class: outputClasses[kind], type: typeOfKind(kind) };

/** The kind of a stored output, which is not decoded. */
export const outputKindOf = (stored: StoredUtxo): OutputKind => kindsByTypeID[outputType(stored)] as OutputKind;

export const isMintOutput = (output: Output): boolean => outputClasses[output.kind] === 'mint';

/** Whether an output is an NFT or a property. These are counted, never added to amounts of the same asset. */
export const isNft = (output: Output): boolean => outputClasses[output.kind] === 'nft';

/** The type of one output. Other outputs of the same asset may have another type: an asset may have amounts, NFTs and properties. */
export const assetTypeOf = (output: Output): AssetType => typeOfKind(output.kind);

/** Units of the asset in an output; 0 for an NFT, a property or a mint output. */
export const unitsOf = (output: Output): bigint => (output.kind === 'secp256k1fx.TransferOutput' ? output.amount : 0n);

/** The amount that outputs are sorted and filtered by: the units, or 1 for an NFT or a property. */
export const listedAmount = (output: Output): bigint => (isNft(output) ? 1n : unitsOf(output));

/** 16 big-endian bytes: a sum of u64 values can exceed 2^64. */
export function sumToBytes(sum: bigint): Uint8Array {
  const bytes = Buffer.alloc(16);
  if (sum > maxU64) bytes.writeBigUInt64BE(sum >> 64n, 0);
  bytes.writeBigUInt64BE(sum & maxU64, 8);
  return bytes;
}

export function sumFromBytes(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (view.getBigUint64(0) << 64n) | view.getBigUint64(8);
}

const maxU64 = 0xffffffffffffffffn;
