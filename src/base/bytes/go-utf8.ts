const replacement = [0xef, 0xbf, 0xbd] as const;

/**
 * Decodes UTF-8 as Go does: each byte that is part of no valid sequence becomes U+FFFD. JavaScript puts one
 * U+FFFD for all bytes of a sequence that was cut off. Go: unicode/utf8/utf8.go.
 */
export function decodeGoUtf8(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (!text.includes('\ufffd')) return text;
  const valid = Buffer.allocUnsafe(bytes.length * replacement.length);
  let length = 0;
  for (let at = 0; at < bytes.length; ) {
    const size = sequenceSize(bytes, at);
    if (size === 0) for (const byte of replacement) valid[length++] = byte;
    else for (let i = 0; i < size; i++) valid[length++] = bytes[at + i] as number;
    at += Math.max(1, size);
  }
  return valid.toString('utf8', 0, length);
}

/** Bytes of the valid sequence at `at`; 0 if there is none. */
function sequenceSize(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  const size = first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  // What would be longer than needed, a surrogate or above U+10FFFF is excluded by the second byte.
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (!isWithin(bytes[at + 1], low, high)) return 0;
  for (let i = 2; i < size; i++) if (!isWithin(bytes[at + i], 0x80, 0xbf)) return 0;
  return size;
}

const isWithin = (byte: number | undefined, low: number, high: number): boolean => byte !== undefined && byte >= low && byte <= high;
