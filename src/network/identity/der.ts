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
