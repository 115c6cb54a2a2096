import { type Id, idLength } from '../../base/bytes/id.ts';

/** IDs as sequences of bits: byte after byte, least significant bit first. AvalancheGo: ids/bits.go. */
export const idBits = 8 * idLength;

export type Bit = 0 | 1;

export function bitOf(id: Id, index: number): Bit {
  const inByte = index & 7;
  // The low half of a byte is its second hex digit.
  const code = id.charCodeAt(2 * (index >> 3) + (inByte < 4 ? 1 : 0));
  const digit = code < 58 ? code - 48 : code - 87;
  return ((digit >> (inByte & 3)) & 1) as Bit;
}

/** The first bit from `start` to before `end` in which two IDs differ. */
export function firstDifference(a: Id, b: Id, start: number, end: number): number | undefined {
  for (let index = start; index < end; index++) if (bitOf(a, index) !== bitOf(b, index)) return index;
  return undefined;
}
