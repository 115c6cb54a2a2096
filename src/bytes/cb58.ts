import { base58 } from '@scure/base';
import { Fault } from '../fault.ts';
import { goQuoteRune } from './go-quote.ts';
import { checksum, checksumLength } from './hash.ts';
import { withChecksum } from './hex.ts';
import { equal } from './octets.ts';

/** Longest text that is decoded, because base58 takes quadratic time. Valid ids, addresses and keys are shorter. */
const maxTextLength = 256;

/** Base58 of the bytes followed by their checksum. AvalancheGo: utils/cb58. */
export const cb58Encode = (bytes: Uint8Array): string => base58.encode(withChecksum(bytes));

export function cb58Decode(text: string): Uint8Array {
  const bytes = decodeBase58(text);
  if (bytes.length < checksumLength) throw new Cb58Error('input string is smaller than the checksum size', { code: 'CB58_NO_CHECKSUM' });
  const raw = bytes.subarray(0, bytes.length - checksumLength);
  if (!equal(checksum(raw), bytes.subarray(raw.length))) throw new Cb58Error('invalid input checksum', { code: 'CB58_BAD_CHECKSUM' });
  return raw;
}

export type Cb58Fault = { code: 'CB58_BAD_TEXT' } | { code: 'CB58_NO_CHECKSUM' } | { code: 'CB58_BAD_CHECKSUM' };
export class Cb58Error extends Fault<Cb58Fault> {}

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
  if (text.length > maxTextLength) throw badText(`text longer than ${maxTextLength} characters`);
  return base58.decode(text);
}
