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
  for (const byte of Buffer.from(text, 'utf8')) {
    if (byte < 33 || byte > 126) throw fault(`invalid character in string: '${String.fromCharCode(byte)}'`);
    lower ||= byte >= 97 && byte <= 122;
    upper ||= byte >= 65 && byte <= 90;
    if (lower && upper) throw fault('string not all lowercase or all uppercase');
  }
  const flat = text.toLowerCase();
  const one = flat.lastIndexOf('1');
  if (one < 1 || one + 7 > flat.length) throw fault(`invalid separator index ${one}`);
  const hrp = flat.slice(0, one);
  const words = [...flat.slice(one + 1)].map(wordOf);
  const payload = words.slice(0, -6);
  const good = bech32.encode(hrp, payload, false).slice(-6);
  const goodM = bech32m.encode(hrp, payload, false).slice(-6);
  const got = flat.slice(-6);
  // The peer's library writes both expectations into one buffer: the second is the first and then itself.
  if (got !== good && got !== goodM) throw fault(`invalid checksum (expected (bech32=${good}, bech32m=${good}${goodM}), got ${got})`);
  return { hrp, bytes: widen(payload), wholeBytes: Math.floor((payload.length * 5) / 8) };
}

export type Bech32Fault = { code: 'BECH32_BAD_TEXT' };
export class Bech32Error extends Fault<Bech32Fault> {}

const fault = (why: string) => new Bech32Error(why, { code: 'BECH32_BAD_TEXT' });

const charset = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

function wordOf(char: string): number {
  const word = charset.indexOf(char);
  if (word < 0) throw fault(`invalid character not part of charset: ${char.charCodeAt(0)}`);
  return word;
}

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
