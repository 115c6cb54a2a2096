import { base58 } from '@scure/base';
import { Fault } from '../fault.ts';
import { checksum, checksumLength } from './hash.ts';
import { withChecksum } from './hex.ts';
import { equal } from './octets.ts';

/** Base58 takes quadratic time; no id, address or key the node reads from outside is longer than this. */
const maxText = 256;

/** base58 of the bytes and their checksum. Peer: utils/cb58. */
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

const bad = (why: string) => new Cb58Error(`base58 decoding error: ${why}`, { code: 'CB58_BAD_TEXT' });

function decodeBase58(text: string): Uint8Array {
  if (text.length === 0) throw bad('zero length string');
  const wrong = /[^1-9A-HJ-NP-Za-km-z]/u.exec(text);
  // The texts are those of the library AvalancheGo uses, mr-tron/base58/base58 1.2.0; its parent package writes them in lower case.
  if (wrong)
    throw bad((wrong[0].codePointAt(0) ?? 0) > 127 ? 'High-bit set on invalid digit' : `Invalid base58 digit (${quoteRune(wrong[0])})`);
  if (text.length > maxText) throw bad(`text longer than ${maxText} characters`);
  return base58.decode(text);
}

/** An ASCII character as Go's %q shows it. */
function quoteRune(char: string): string {
  const known = escapes[char];
  const code = char.charCodeAt(0);
  const isControl = code < 0x20 || code === 0x7f;
  return `'${known ?? (isControl ? `\\x${code.toString(16).padStart(2, '0')}` : char)}'`;
}

const escapes: Readonly<Record<string, string>> = {
  "'": "\\'",
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};
