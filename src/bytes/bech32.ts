import { bech32, bech32m } from '@scure/base';
import { Fault } from '../fault.ts';

/** Bytes under a human-readable part, in five-bit groups, zero-padded. */
export const bech32Encode = (hrp: string, bytes: Uint8Array): string => bech32.encode(hrp, bech32.toWords(bytes), false);

/**
 * Decodes as the peer's library does (btcutil/bech32 Decode, then ConvertBits with padding): both checksums are good,
 * and five-bit groups left over are *padded* to a further byte, so that 19 bytes come back as 20. `wholeBytes` is the true number.
 */
export function bech32Decode(text: string): { hrp: string; bytes: Uint8Array; wholeBytes: number } {
  const size = Buffer.byteLength(text, 'utf8');
  if (size > 90 || size < 8) throw fault(`invalid bech32 string length ${size}`);
  let lower = false;
  let upper = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 33 || code > 126) throw fault(`invalid character in string: '${firstByte(text, i)}'`);
    lower ||= code >= 97 && code <= 122;
    upper ||= code >= 65 && code <= 90;
    if (lower && upper) throw fault('string not all lowercase or all uppercase');
  }
  const flat = text.toLowerCase();
  const one = flat.lastIndexOf('1');
  if (one < 1 || one + 7 > flat.length) throw fault(`invalid separator index ${one}`);
  const hrp = flat.slice(0, one);
  const words: number[] = [];
  for (let i = one + 1; i < flat.length; i++) words.push(wordOf(flat, i));
  const payload = words.slice(0, -6);
  if (!goodChecksums.has(polymod(hrp, words))) throw wrongChecksum(hrp, payload, flat.slice(-6));
  return { hrp, bytes: widen(payload), wholeBytes: Math.floor((payload.length * 5) / 8) };
}

export type Bech32Fault = { code: 'BECH32_BAD_TEXT' };
export class Bech32Error extends Fault<Bech32Fault> {}

const fault = (why: string) => new Bech32Error(why, { code: 'BECH32_BAD_TEXT' });

function wrongChecksum(hrp: string, payload: readonly number[], got: string): Bech32Error {
  const good = bech32.encode(hrp, [...payload], false).slice(-6);
  const goodM = bech32m.encode(hrp, [...payload], false).slice(-6);
  // The peer's library writes both expectations into one buffer: the second is the first and then itself.
  return fault(`invalid checksum (expected (bech32=${good}, bech32m=${good}${goodM}), got ${got})`);
}

/** What the checksum of a good text comes to, in the older form and in the newer: the peer's library takes both. */
const goodChecksums = new Set([1, 0x2bc830a3]);

/** BIP 173: the remainder of prefix and data, checksum included. */
function polymod(hrp: string, words: readonly number[]): number {
  let sum = 1;
  for (let i = 0; i < hrp.length; i++) sum = divided(sum, hrp.charCodeAt(i) >> 5);
  sum = divided(sum, 0);
  for (let i = 0; i < hrp.length; i++) sum = divided(sum, hrp.charCodeAt(i) & 31);
  for (const word of words) sum = divided(sum, word);
  return sum;
}

const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

function divided(sum: number, word: number): number {
  const top = sum >>> 25;
  let next = ((sum & 0x1ffffff) << 5) ^ word;
  for (let bit = 0; bit < 5; bit++) if ((top >> bit) & 1) next ^= generators[bit] as number;
  return next;
}

const charset = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

function wordOf(text: string, at: number): number {
  const word = charset.indexOf(text[at] as string);
  if (word < 0) throw fault(`invalid character not part of charset: ${text.charCodeAt(at)}`);
  return word;
}

/** Go looks at bytes: a character beyond ASCII is named by its first one. */
const firstByte = (text: string, at: number): string =>
  String.fromCharCode(Buffer.from(String.fromCodePoint(text.codePointAt(at) ?? 0), 'utf8')[0] ?? 0);

/** Five-bit groups to bytes; what is left over becomes a zero-padded byte. */
function widen(words: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  let held = 0;
  let bits = 0;
  for (const word of words) {
    held = (held << 5) | word;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((held >> bits) & 0xff);
      held &= (1 << bits) - 1;
    }
  }
  if (bits > 0) bytes.push((held << (8 - bits)) & 0xff);
  return Uint8Array.from(bytes);
}
