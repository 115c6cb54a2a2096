/** A strict reader over DER from outside. Every function answers undefined for what is not there or not well formed. */
export type DerReader = {
  /** The content of the next element if it has this tag. */
  take(tag: number): Uint8Array | undefined;
  /** Steps over the next element if it has this tag; says whether it did. */
  skip(tag: number): boolean;
  /** Steps over the next element if it has this tag; false only if it has the tag and is malformed. */
  skipOptional(tag: number): boolean;
};

export const derTag = { integer: 0x02, bitString: 0x03, objectId: 0x06, sequence: 0x30, version: 0xa0 } as const;

export function readDer(bytes: Uint8Array): DerReader {
  let at = 0;
  const take = (tag: number): Uint8Array | undefined => {
    if (bytes[at] !== tag) return undefined;
    const length = readLength(bytes, at + 1);
    if (length === undefined || length.end + length.value > bytes.length) return undefined;
    at = length.end + length.value;
    return bytes.subarray(length.end, at);
  };
  return {
    take,
    skip: (tag) => take(tag) !== undefined,
    skipOptional: (tag) => bytes[at] !== tag || take(tag) !== undefined,
  };
}

/** Minimal lengths of up to four bytes, as Go's cryptobyte accepts. */
function readLength(bytes: Uint8Array, at: number): { value: number; end: number } | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  if (first < 0x80) return { value: first, end: at + 1 };
  const size = first & 0x7f;
  if (size === 0 || size > 4 || at + 1 + size > bytes.length) return undefined;
  let value = 0;
  for (const byte of bytes.subarray(at + 1, at + 1 + size)) value = value * 256 + byte;
  if (value < 0x80 || value < 2 ** (8 * (size - 1))) return undefined;
  return { value, end: at + 1 + size };
}
