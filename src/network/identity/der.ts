/** Writers for the DER elements (X.690) of a staking certificate. */
export const sequence = (...parts: readonly Uint8Array[]): Uint8Array => tagged(0x30, Buffer.concat(parts));

/** A context-specific, constructed field, `[number] EXPLICIT`. */
export const explicit = (number: number, inner: Uint8Array): Uint8Array => tagged(0xa0 | number, inner);

/** An integer from 0 to 127; our certificates have no others. */
export const smallInteger = (value: number): Uint8Array => tagged(0x02, Uint8Array.of(value));

export const trueValue: Uint8Array = Uint8Array.of(0x01, 0x01, 0xff);

export const octetString = (bytes: Uint8Array): Uint8Array => tagged(0x04, bytes);

export const bitString = (bytes: Uint8Array, unusedBits = 0): Uint8Array => tagged(0x03, Buffer.concat([Uint8Array.of(unusedBits), bytes]));

/** YYMMDDhhmmssZ, for years before 2050. */
export const utcTime = (text: string): Uint8Array => tagged(0x17, Buffer.from(text, 'latin1'));

/** YYYYMMDDhhmmssZ, for years from 2050 on. */
export const generalizedTime = (text: string): Uint8Array => tagged(0x18, Buffer.from(text, 'latin1'));

export function objectId(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(0x06, Uint8Array.from([first * 40 + second, ...rest].flatMap(base128)));
}

function tagged(tag: number, content: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(tag, ...lengthOf(content.length)), content]);
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

/** Seven bits per byte, the top bit set in all but the last. */
function base128(value: number): number[] {
  const out = [value & 0x7f];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) out.unshift((rest & 0x7f) | 0x80);
  return out;
}

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
