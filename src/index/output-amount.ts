import type { Output } from '../tx/output.ts';

/** What an output is to sums: an amount, one thing of its kind, or a right to make more, which is worth nothing by itself. */
type Sort = 'amount' | 'thing' | 'right';

/** Types of amounts as clients know them. A property has no type of its own there: it is shown as an NFT. */
export type AssetType = 'secp256k1' | 'nft';

const kinds: { readonly [K in Output['kind']]: { readonly sort: Sort; readonly type: AssetType } } = {
  'secp256k1fx.TransferOutput': { sort: 'amount', type: 'secp256k1' },
  'secp256k1fx.MintOutput': { sort: 'right', type: 'secp256k1' },
  'nftfx.TransferOutput': { sort: 'thing', type: 'nft' },
  'nftfx.MintOutput': { sort: 'right', type: 'nft' },
  'propertyfx.OwnedOutput': { sort: 'thing', type: 'nft' },
  'propertyfx.MintOutput': { sort: 'right', type: 'nft' },
};

export const isRight = (output: Output): boolean => kinds[output.kind].sort === 'right';

/** An NFT or a property: counted, never added to amounts of the same asset. */
export const isNft = (output: Output): boolean => kinds[output.kind].sort === 'thing';

/** The type of an output, whatever else there is of its asset: one asset may have amounts, NFTs and properties. */
export const typeOf = (output: Output): AssetType => kinds[output.kind].type;

/** Units of the asset; 0 for an output that holds none. */
export const unitsOf = (output: Output): bigint => (output.kind === 'secp256k1fx.TransferOutput' ? output.amount : 0n);

/** The number an output is listed and filtered by: its units, or 1 for an NFT or a property. */
export const amountOf = (output: Output): bigint => (isNft(output) ? 1n : unitsOf(output));

/** One name in the list, whatever the threshold; see state/balance.ts. */
export const isAlone = ({ addresses }: Output): boolean => addresses.length === 1;

/** A sum of u64 can pass 2^64: 16 big-endian bytes. */
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
