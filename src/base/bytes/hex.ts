import { Fault } from '../fault.ts';
import { endsWithChecksum, withChecksum } from './end-checksum.ts';
import { checksumLength } from './hash.ts';

type HexEncoding = 'hex' | 'hexc' | 'hexnc';

/** Lower-case hex digits without a prefix. */
export const toHex: (bytes: Uint8Array) => string =
  'toHex' in Uint8Array.prototype
    ? (bytes) => (bytes as Uint8Array & { toHex(): string }).toHex()
    : (bytes) => asBuffer(bytes).toString('hex');

/** Hex digits of the `length` bytes at `at`, without a subarray: of a small array it would cost more than the digits. */
export function toHexAt(bytes: Uint8Array, at: number, length: 20 | 32): string {
  const copy = length === 20 ? twentyBytes : thirtyTwoBytes;
  for (let i = 0; i < length; i++) copy[i] = bytes[at + i] as number;
  return toHex(copy);
}

const twentyBytes = new Uint8Array(20);
const thirtyTwoBytes = new Uint8Array(32);

/** Bytes of hex digits that are known to be valid, such as an `Id` or an `Address`. Use `parseHex` for text from outside. */
export const fromHex: (hex: string) => Uint8Array =
  'fromHex' in Uint8Array
    ? (Uint8Array as unknown as { fromHex(hex: string): Uint8Array }).fromHex.bind(Uint8Array)
    : (hex) => Buffer.from(hex, 'hex');

/** Hex with prefix and, except for `hexnc`, a checksum. AvalancheGo: utils/formatting/encoding.go, where hex and hexc are the same. */
export const formatHex = (encoding: HexEncoding, bytes: Uint8Array): string =>
  `0x${toHex(encoding === 'hexnc' ? bytes : withChecksum(bytes))}`;

/** The inverse of formatHex. The empty text gives zero bytes and needs no checksum, as in AvalancheGo. */
export function parseHex(encoding: HexEncoding | 'json', text: string): Uint8Array {
  if (text.length === 0) return new Uint8Array(0);
  if (encoding === 'json') throw unsupportedEncoding();
  if (!text.startsWith('0x')) throw new HexError('missing 0x prefix to hex encoding', { code: 'HEX_NO_PREFIX' });
  const bytes = decodeDigits(text.slice(2));
  if (encoding === 'hexnc') return bytes;
  if (bytes.length < checksumLength) throw new HexError('input string is smaller than the checksum size', { code: 'HEX_NO_CHECKSUM' });
  if (!endsWithChecksum(bytes)) throw new HexError('invalid input checksum', { code: 'HEX_BAD_CHECKSUM' });
  return bytes.subarray(0, bytes.length - checksumLength);
}

const unsupportedEncoding = () => new HexError('unsupported encoding in method', { code: 'HEX_UNSUPPORTED_ENCODING' });

export type HexFault =
  | { code: 'HEX_NO_PREFIX' }
  | { code: 'HEX_ODD_LENGTH'; length: number }
  | { code: 'HEX_BAD_DIGIT'; at: number }
  | { code: 'HEX_NO_CHECKSUM' }
  | { code: 'HEX_BAD_CHECKSUM' }
  | { code: 'HEX_UNSUPPORTED_ENCODING' };
export class HexError extends Fault<HexFault> {}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * Decodes hex digits. The decoder of the runtime stops at the first bad digit, so a short result means bad input. Of a character above U+00FF
 * it reads the low byte (`\u0130` as `0`): such a text is longer in UTF-8.
 */
function decodeDigits(digits: string): Uint8Array {
  const bytes = Buffer.from(digits, 'hex');
  // Not a Buffer: `slice` of a Buffer calls its constructor, so each transaction cut out of a block would take 0.3 µs in place of 0.1.
  if (bytes.length * 2 === digits.length && Buffer.byteLength(digits) === digits.length)
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  // Go reports a bad digit before an odd length.
  const at = digits.search(/[^0-9a-fA-F]/);
  if (at < 0) throw new HexError('encoding/hex: odd length hex string', { code: 'HEX_ODD_LENGTH', length: digits.length });
  throw new HexError(`encoding/hex: invalid byte: ${quoteByte(digits, at)}`, { code: 'HEX_BAD_DIGIT', at });
}

/** The first bad *byte* as Go prints a rune, such as `U+007A 'z'`; without the quoted character if it is not printable Latin-1. */
function quoteByte(digits: string, at: number): string {
  const byte = Buffer.from(String.fromCodePoint(digits.codePointAt(at) ?? 0), 'utf8')[0] ?? 0;
  const code = `U+${byte.toString(16).toUpperCase().padStart(4, '0')}`;
  const printable = (byte >= 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
  return printable ? `${code} '${String.fromCharCode(byte)}'` : code;
}

/** Texts kept of each length. A text is replaced by another one with the same last bits. */
const keptTexts = 512;

/**
 * Creates a function that returns the hex digits of the bytes at an offset. Bytes that repeat, such as the IDs of assets and addresses, give the
 * same text object again: comparing 32 bytes takes a third of the time of a new text, equal objects compare at once, and what is decoded
 * from many transactions shares one text in memory.
 */
export function createRepeatedHex(length: 20 | 32): (bytes: Uint8Array, at: number) => string {
  const known = new Uint8Array(keptTexts * length);
  const texts: (string | undefined)[] = Array(keptTexts).fill(undefined);
  return (bytes, at) => {
    const end = at + length;
    const slot = (((bytes[end - 2] as number) << 8) | (bytes[end - 1] as number)) % keptTexts;
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
