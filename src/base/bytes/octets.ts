/** Compares two byte strings as Go's bytes.Compare does: -1, 0 or 1. */
export const compare = (a: Uint8Array, b: Uint8Array): number => Buffer.compare(a, b);

export const equal = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

export const concat = (parts: readonly Uint8Array[]): Uint8Array => Buffer.concat(parts);

/** Compares two lower-case hex texts of equal length; the result is the order of their bytes. */
export const compareHex = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A u64 as 8 big-endian bytes. The store uses it because SQLite's integers are signed. */
export function u64Bytes(value: bigint): Uint8Array {
  const out = Buffer.alloc(8);
  out.writeBigUInt64BE(value);
  return out;
}

export const maxU64 = 0xffffffffffffffffn;

export const compareBigints = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
