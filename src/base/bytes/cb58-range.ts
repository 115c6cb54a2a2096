import { checksumLength } from './hash.ts';

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** A range of byte strings of one length, both ends included. */
type ByteRange = { readonly low: Uint8Array; readonly high: Uint8Array };

/** The ranges of byte strings whose CB58 text starts with a prefix: one per possible length of the text. None for a prefix of ones only. */
export function cb58Ranges(prefix: string, length: number): ByteRange[] {
  // Base58 writes each zero byte at the start as a one.
  const [zeros = ''] = /^1*/.exec(prefix) ?? [];
  const digits = [...prefix.slice(zeros.length)].map((letter) => alphabet.indexOf(letter));
  if (digits.length === 0 || digits.some((digit) => digit < 0) || zeros.length > length) return [];
  const start = digits.reduce((sum, digit) => sum * 58n + BigInt(digit), 0n);
  const limit = 1n << BigInt((length + checksumLength - zeros.length) * 8);
  // The next byte is not zero, so numbers are at least this large.
  const least = limit >> 8n;
  const ranges: ByteRange[] = [];
  for (let power = 1n; start * power < limit; power *= 58n) {
    const [first, last] = [start * power, (start + 1n) * power - 1n];
    if (last < least) continue;
    ranges.push({ low: bytesOf(first < least ? least : first, length), high: bytesOf(last >= limit ? limit - 1n : last, length) });
  }
  return ranges;
}

/** The bytes before the checksum. */
const bytesOf = (value: bigint, length: number): Uint8Array =>
  Buffer.from(value.toString(16).padStart((length + checksumLength) * 2, '0'), 'hex').subarray(0, length);
