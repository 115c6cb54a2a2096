import { bech32Letters } from './bech32.ts';

/** Bits of one letter. */
const letterBits = 5n;

/** The range of byte strings of a length, both ends included, whose bech32 text starts with these letters after the separator. Letters of the checksum are ignored. */
export function bech32Range(letters: string, length: number): { readonly low: Uint8Array; readonly high: Uint8Array } | undefined {
  const words = [...letters].map((letter) => bech32Letters.indexOf(letter));
  if (words.length === 0 || words.includes(-1)) return undefined;
  const bits = BigInt(length * 8);
  // The last letter may hold bits behind the last byte.
  const known = words.slice(0, Math.ceil((length * 8) / Number(letterBits)));
  const free = bits - BigInt(known.length) * letterBits;
  const start = known.reduce((sum, word) => (sum << letterBits) | BigInt(word), 0n);
  const low = free >= 0n ? start << free : start >> -free;
  const high = free >= 0n ? low | ((1n << free) - 1n) : low;
  return { low: bytesOf(low, length), high: bytesOf(high, length) };
}

const bytesOf = (value: bigint, length: number): Uint8Array => Buffer.from(value.toString(16).padStart(length * 2, '0'), 'hex');
