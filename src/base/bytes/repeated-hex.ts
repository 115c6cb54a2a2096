import { toHexAt } from './hex.ts';

/** Texts kept of each length. A text is replaced by another one with the same last bits. */
const slots = 512;

/**
 * Creates a function that returns the hex digits of the bytes at an offset. Bytes that repeat, such as the IDs of assets and addresses, give the
 * same text object again: comparing 32 bytes takes a third of the time of a new text, equal objects compare at once, and what is decoded
 * from many transactions shares one text in memory.
 */
export function createRepeatedHex(length: 20 | 32): (bytes: Uint8Array, at: number) => string {
  const known = new Uint8Array(slots * length);
  const texts: (string | undefined)[] = Array(slots).fill(undefined);
  return (bytes, at) => {
    const end = at + length;
    const slot = (((bytes[end - 2] as number) << 8) | (bytes[end - 1] as number)) % slots;
    const from = slot * length;
    let equal = 0;
    while (equal < length && known[from + equal] === bytes[at + equal]) equal++;
    const before = texts[slot];
    if (equal === length && before !== undefined) return before;
    for (let i = 0; i < length; i++) known[from + i] = bytes[at + i] as number;
    const text = toHexAt(bytes, at, length);
    texts[slot] = text;
    return text;
  };
}
