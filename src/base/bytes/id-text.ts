import { createDigitPairs } from './digit-pairs.ts';
import { sha256Into } from './hash.ts';

/** Writes the CB58 text of the 32 bytes at `from` into `out` at `at`; returns the end. The text has at most 50 characters. */
type WriteIdText = (bytes: Uint8Array, from: number, out: Uint8Array, at: number) => number;

/**
 * Returns an encoder of ids to CB58 text. A page of history shows thousands of ids, and this takes a fifth of the time of `cb58Encode`:
 * the digits of all powers of 2^24 are in a table, so that every group of four digits is a sum of twelve products. Doubles hold the sums
 * exactly (12 * 2^24 * 58^4 < 2^53). Only then carries are passed on.
 */
export function createIdTextWriter(): WriteIdText {
  const hashed = new Uint8Array(32);
  const id = new Uint8Array(32);
  const chunks = new Float64Array(chunkCount);
  const groups = new Uint32Array(groupCount);
  return (bytes, from, out, at) => {
    for (let i = 0; i < 32; i++) id[i] = bytes[from + i] as number;
    sha256Into(id, hashed);
    for (let i = 0; i < 10; i++) chunks[i] = ((id[i * 3] as number) << 16) | ((id[i * 3 + 1] as number) << 8) | (id[i * 3 + 2] as number);
    chunks[10] = ((id[30] as number) << 16) | ((id[31] as number) << 8) | (hashed[28] as number);
    chunks[11] = ((hashed[29] as number) << 16) | ((hashed[30] as number) << 8) | (hashed[31] as number);
    let carry = 0;
    for (let group = 0; group < groupCount; group++) {
      let sum = carry;
      // A power of 2^24 has no digits above its own length.
      for (let chunk = 0; chunk <= (lastChunk[group] as number); chunk++)
        sum += (chunks[chunk] as number) * (powers[group * chunkCount + chunk] as number);
      carry = Math.floor(sum / groupBase);
      groups[group] = sum - carry * groupBase;
    }
    let top = groupCount - 1;
    while (top > 0 && groups[top] === 0) top--;
    let end = at;
    for (let i = 0; i < 32 && id[i] === 0; i++) out[end++] = one;
    end = writeTopGroup(groups[top] as number, out, end);
    for (let group = top - 1; group >= 0; group--) {
      const value = groups[group] as number;
      const high = (value / pairBase) | 0;
      const low = value - high * pairBase;
      out[end] = firstOfPair[high] as number;
      out[end + 1] = secondOfPair[high] as number;
      out[end + 2] = firstOfPair[low] as number;
      out[end + 3] = secondOfPair[low] as number;
      end += 4;
    }
    return end;
  };
}

/** Returns an encoder from 64 hex digits to CB58. */
export function createIdEncoder(): (hex: string) => string {
  const write = createIdTextWriter();
  const bytes = Buffer.alloc(32);
  const out = Buffer.alloc(maxIdText);
  return (hex) => {
    bytes.write(hex, 0, 32, 'hex');
    return out.toString('latin1', 0, write(bytes, 0, out, 0));
  };
}

/** The longest text of an id: 32 bytes and a checksum of 4. */
export const maxIdText = 50;

/** Writes the first group, without leading zero digits. */
function writeTopGroup(value: number, out: Uint8Array, at: number): number {
  let size = 1;
  for (let limit = 58; value >= limit; limit *= 58) size++;
  for (let i = at + size - 1, rest = value; i >= at; i--) {
    const next = (rest / 58) | 0;
    out[i] = alphabet[rest - next * 58] as number;
    rest = next;
  }
  return at + size;
}

const alphabet = Buffer.from('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz');
const one = 0x31;
const chunkCount = 12;
/** 36 bytes have at most 50 digits. */
const groupCount = 13;
const pairBase = 58 ** 2;
const groupBase = 58 ** 4;

const { first: firstOfPair, second: secondOfPair } = createDigitPairs(alphabet);

/** `powers[group * chunkCount + chunk]`: a group of the digits of the power of 2^24 that belongs to a chunk. Group 0 has the lowest digits. */
const powers = Float64Array.from({ length: groupCount * chunkCount }, (_, i) => {
  const [group, chunk] = [Math.floor(i / chunkCount), i % chunkCount];
  const power = 1n << BigInt(24 * (chunkCount - 1 - chunk));
  return Number((power / BigInt(groupBase) ** BigInt(group)) % BigInt(groupBase));
});

/** The last chunk whose power has digits in a group. */
const lastChunk = Uint8Array.from({ length: groupCount }, (_, group) => {
  let last = chunkCount - 1;
  while (last > 0 && powers[group * chunkCount + last] === 0) last--;
  return last;
});
