/** A strict reader of untrusted DER. */
export type DerReader = {
  /** Returns the content of the next element; undefined if it has another tag or is malformed. */
  take(tag: number): Uint8Array | undefined;
  /** Skips the next element. Returns false if it has another tag or is malformed. */
  skip(tag: number): boolean;
  /** Skips the next element if it has this tag. Returns false only if it has the tag and is malformed. */
  skipOptional(tag: number): boolean;
};

export const derTags = { integer: 0x02, bitString: 0x03, objectId: 0x06, sequence: 0x30, version: 0xa0 } as const;

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

/** Reads a length of up to four bytes in minimal form, as Go's cryptobyte does. */
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
