import type { Output } from '../tx/output.ts';

/** What an output is to sums: an amount, one thing of its kind, or a right to make more, which is worth nothing by itself. */
type Sort = 'amount' | 'thing' | 'right';

const sorts: { readonly [K in Output['kind']]: Sort } = {
  'secp256k1fx.TransferOutput': 'amount',
  'secp256k1fx.MintOutput': 'right',
  'nftfx.TransferOutput': 'thing',
  'nftfx.MintOutput': 'right',
  'propertyfx.OwnedOutput': 'thing',
  'propertyfx.MintOutput': 'right',
};

export const isRight = (output: Output): boolean => sorts[output.kind] === 'right';

export const worthOf = (output: Output): bigint =>
  output.kind === 'secp256k1fx.TransferOutput' ? output.amount : sorts[output.kind] === 'thing' ? 1n : 0n;

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
