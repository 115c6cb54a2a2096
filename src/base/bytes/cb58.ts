import { base58 } from '@scure/base';
import { Fault } from '../fault.ts';
import { withChecksum } from './end-checksum.ts';
import { goQuoteRune } from './go-quote.ts';
import { checksum, checksumLength } from './hash.ts';
import { equal } from './octets.ts';

/** Longest text that is decoded, because base58 takes quadratic time. Valid ids, addresses and keys are shorter. */
const maxTextLength = 256;

/** Base58 of the bytes followed by their checksum. AvalancheGo: utils/cb58. */
export const cb58Encode = (bytes: Uint8Array): string => base58.encode(withChecksum(bytes));

export function cb58Decode(text: string): Uint8Array {
  const bytes = decodeBase58(text);
  if (bytes.length < checksumLength) throw new Cb58Error('input string is smaller than the checksum size', { code: 'CB58_NO_CHECKSUM' });
  const raw = bytes.subarray(0, bytes.length - checksumLength);
  if (!equal(checksum(raw), bytes.subarray(raw.length))) throw badChecksum();
  return raw;
}

/**
 * The text with one character changed so that it is `length` bytes and their checksum, or undefined if no such text exists. Tries some 3,000
 * texts for an id, which takes a few milliseconds.
 */
export function correctCb58(text: string, length: number): string | undefined {
  const digits = [...text].map((letter) => alphabet.indexOf(letter));
  const invalid = digits.flatMap((digit, i) => (digit < 0 ? [i] : []));
  if (text.length > maxTextLength || invalid.length > 1) return undefined;
  const size = (length + checksumLength) * 2;
  const limit = 1n << BigInt(size * 4);
  const value = digits.reduce((sum, digit) => sum * 58n + BigInt(Math.max(digit, 0)), 0n);
  for (let i = digits.length - 1, power = 1n; i >= 0; i--, power *= 58n) {
    if (invalid.length === 1 && invalid[0] !== i) continue;
    const digit = Math.max(digits[i] as number, 0);
    for (let other = 0; other < 58; other++) {
      const changed = value + BigInt(other - digit) * power;
      if (changed >= limit) break;
      const bytes = Buffer.from(changed.toString(16).padStart(size, '0'), 'hex');
      if (!equal(checksum(bytes.subarray(0, length)), bytes.subarray(length))) continue;
      const found = text.slice(0, i) + alphabet[other] + text.slice(i + 1);
      // The number of leading ones must match the number of leading zero bytes.
      if (found !== text && base58.encode(bytes) === found) return found;
    }
  }
  return undefined;
}

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

export type Cb58Fault = { code: 'CB58_BAD_TEXT' } | { code: 'CB58_NO_CHECKSUM' } | { code: 'CB58_BAD_CHECKSUM' };
class Cb58Error extends Fault<Cb58Fault> {}

const badChecksum = () => new Cb58Error('invalid input checksum', { code: 'CB58_BAD_CHECKSUM' });
const badText = (why: string) => new Cb58Error(`base58 decoding error: ${why}`, { code: 'CB58_BAD_TEXT' });

function decodeBase58(text: string): Uint8Array {
  if (text.length === 0) throw badText('zero length string');
  const invalidChar = /[^1-9A-HJ-NP-Za-km-z]/u.exec(text);
  // Error texts of the library AvalancheGo uses, mr-tron/base58/base58 1.2.0 (its parent package has lower-case texts).
  if (invalidChar)
    throw badText(
      (invalidChar[0].codePointAt(0) ?? 0) > 127
        ? 'High-bit set on invalid digit'
        : `Invalid base58 digit (${goQuoteRune(invalidChar[0])})`,
    );
  // What AvalancheGo answers after it has decoded the text.
  if (text.length > maxTextLength) throw badChecksum();
  return base58.decode(text);
}
