import { bech32, bech32m } from '@scure/base';
import { Fault } from '../fault.ts';

/** Encodes bytes with a human-readable part in lower case. The last five-bit group is padded with zero bits. */
export function bech32Encode(hrp: string, bytes: Uint8Array): string {
  let sum = hrpSum(hrp);
  let text = `${hrp}1`;
  let pending = 0;
  let bits = 0;
  const add = (word: number): void => {
    sum = polymodStep(sum, word);
    text += bech32Letters[word];
  };
  for (let i = 0; i < bytes.length; i++) {
    pending = ((pending & 31) << 8) | (bytes[i] as number);
    for (bits += 8; bits >= 5; bits -= 5) add((pending >> (bits - 5)) & 31);
  }
  if (bits > 0) add((pending << (5 - bits)) & 31);
  for (let i = 0; i < 6; i++) sum = polymodStep(sum, 0);
  for (let shift = 25; shift >= 0; shift -= 5) text += bech32Letters[((sum ^ 1) >> shift) & 31];
  return text;
}

/**
 * Decodes as AvalancheGo's library does (btcutil/bech32 Decode, then ConvertBits with padding): bech32 and bech32m checksums are both
 * valid, and leftover bits are *padded* to one more byte, so that 19 bytes are returned as 20. `unpaddedLength` is the length without it.
 */
export function bech32Decode(text: string): { hrp: string; bytes: Uint8Array; unpaddedLength: number } {
  const size = Buffer.byteLength(text, 'utf8');
  if (size > 90 || size < 8) throw badText(`invalid bech32 string length ${size}`);
  let lower = false;
  let upper = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 33 || code > 126) throw badText(`invalid character in string: '${firstByte(text, i)}'`);
    lower ||= code >= 97 && code <= 122;
    upper ||= code >= 65 && code <= 90;
    if (lower && upper) throw badText('string not all lowercase or all uppercase');
  }
  const lowerCased = text.toLowerCase();
  const separator = lowerCased.lastIndexOf('1');
  if (separator < 1 || separator + 7 > lowerCased.length) throw badText(`invalid separator index ${separator}`);
  const hrp = lowerCased.slice(0, separator);
  const words: number[] = [];
  for (let i = separator + 1; i < lowerCased.length; i++) words.push(readWord(lowerCased, i));
  const payload = words.slice(0, -6);
  if (!validChecksums.has(polymod(hrp, words))) throw wrongChecksum(hrp, payload, lowerCased.slice(-6));
  return { hrp, bytes: wordsToBytes(payload), unpaddedLength: Math.floor((payload.length * 5) / 8) };
}

/**
 * The text with one character changed so that its checksum (bech32) is right, or undefined if no such text exists. The prefix is taken as it
 * is. The polymod is linear, so each possible change needs one step of it and no checksum of a whole text.
 */
export function correctBech32(text: string): string | undefined {
  const lower = text.toLowerCase();
  const separator = lower.lastIndexOf('1');
  if (lower.length > 90 || separator < 1 || separator + 7 > lower.length) return undefined;
  const words = [...lower.slice(separator + 1)].map((letter) => bech32Letters.indexOf(letter));
  const invalid = words.flatMap((word, i) => (word < 0 ? [i] : []));
  if (invalid.length > 1) return undefined;
  const [only] = invalid;
  const difference =
    polymod(
      lower.slice(0, separator),
      words.map((word) => Math.max(word, 0)),
    ) ^ 1;
  const changes = Array.from({ length: 32 }, (_, change) => change);
  for (let i = words.length - 1; i >= 0; i--) {
    const change = only === undefined || only === i ? changes.indexOf(difference) : -1;
    if (change > 0 || (change === 0 && only === i)) {
      const at = separator + 1 + i;
      return lower.slice(0, at) + bech32Letters[Math.max(words[i] as number, 0) ^ change] + lower.slice(at + 1);
    }
    for (let c = 0; c < changes.length; c++) changes[c] = polymodStep(changes[c] as number, 0);
  }
  return undefined;
}

export type Bech32Fault = { code: 'BECH32_BAD_TEXT' };
class Bech32Error extends Fault<Bech32Fault> {}

const badText = (why: string) => new Bech32Error(why, { code: 'BECH32_BAD_TEXT' });

function wrongChecksum(hrp: string, payload: readonly number[], got: string): Bech32Error {
  const expected = bech32.encode(hrp, [...payload], false).slice(-6);
  const expectedM = bech32m.encode(hrp, [...payload], false).slice(-6);
  // AvalancheGo's library writes both checksums into one buffer, so the second text starts with the first.
  return badText(`invalid checksum (expected (bech32=${expected}, bech32m=${expected}${expectedM}), got ${got})`);
}

/** `polymod` of a valid text: bech32 and bech32m. AvalancheGo's library accepts both. */
const validChecksums = new Set([1, 0x2bc830a3]);

/** The BIP 173 polymod of prefix and data, checksum included. */
function polymod(hrp: string, words: readonly number[]): number {
  let sum = hrpSum(hrp);
  for (const word of words) sum = polymodStep(sum, word);
  return sum;
}

/** The polymod of a prefix, before any data. */
function hrpSum(hrp: string): number {
  let sum = 1;
  for (let i = 0; i < hrp.length; i++) sum = polymodStep(sum, hrp.charCodeAt(i) >> 5);
  sum = polymodStep(sum, 0);
  for (let i = 0; i < hrp.length; i++) sum = polymodStep(sum, hrp.charCodeAt(i) & 31);
  return sum;
}

const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

/** The sum of the generators by the five bits that a step shifts out. */
const generatorSums = Int32Array.from({ length: 32 }, (_, top) =>
  generators.reduce((sum, generator, bit) => ((top >> bit) & 1 ? sum ^ generator : sum), 0),
);

const polymodStep = (sum: number, word: number): number => ((sum & 0x1ffffff) << 5) ^ word ^ (generatorSums[sum >>> 25] as number);

export const bech32Letters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

function readWord(text: string, at: number): number {
  const word = bech32Letters.indexOf(text[at] as string);
  if (word < 0) throw badText(`invalid character not part of charset: ${text.charCodeAt(at)}`);
  return word;
}

/** The first UTF-8 byte of a character as a Latin-1 character: Go reports bytes, not characters. */
const firstByte = (text: string, at: number): string =>
  String.fromCharCode(Buffer.from(String.fromCodePoint(text.codePointAt(at) ?? 0), 'utf8')[0] ?? 0);

/** Converts five-bit groups to bytes. Leftover bits become one more byte, padded with zero bits. */
function wordsToBytes(words: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  let pending = 0;
  let bits = 0;
  for (const word of words) {
    pending = (pending << 5) | word;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((pending >> bits) & 0xff);
      pending &= (1 << bits) - 1;
    }
  }
  if (bits > 0) bytes.push((pending << (8 - bits)) & 0xff);
  return Uint8Array.from(bytes);
}
