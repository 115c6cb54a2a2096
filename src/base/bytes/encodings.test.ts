import { describe, expect, test } from 'bun:test';
import { bech32 } from '@scure/base';
import fc from 'fast-check';
import vectors from '../../../vectors/vectors.json' with { type: 'json' };
import { Fault } from '../fault.ts';
import { addressFromBytes, createAddressFormatter, shortIdText } from './address.ts';
import { bech32Decode, bech32Encode } from './bech32.ts';
import { cb58Decode, cb58Encode } from './cb58.ts';
import { formatHex, fromHex, parseHex, toHex } from './hex.ts';
import { idFromBytes, idText, parseId, zeroId } from './id.ts';

const raw = (hex: string) => fromHex(hex.slice(2));
const faultOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
  return 'no fault';
};

describe('vectors of AvalancheGo', () => {
  test('cb58, hex, hexc, hexnc both ways', () => {
    for (const vector of vectors.encodings) {
      const bytes = raw(vector.bytes);
      expect(cb58Encode(bytes)).toBe(vector.cb58);
      expect(toHex(cb58Decode(vector.cb58))).toBe(toHex(bytes));
      for (const encoding of ['hex', 'hexc', 'hexnc'] as const) {
        expect(formatHex(encoding, bytes)).toBe(vector[encoding]);
        expect(toHex(parseHex(encoding, vector[encoding]))).toBe(toHex(bytes));
      }
    }
  });

  test('addresses with every human-readable part', () => {
    for (const vector of vectors.addresses) {
      const address = addressFromBytes(raw(vector.bytes));
      expect(shortIdText(address)).toBe(vector.shortID);
      expect(createAddressFormatter('X', 'local')(address)).toBe(vector.xLocal);
      for (const hrp of ['avax', 'fuji', 'local', 'custom', 'testing'] as const) {
        expect(bech32Encode(hrp, raw(vector.bytes))).toBe(vector[hrp]);
        expect(bech32Decode(vector[hrp])).toEqual({ hrp, bytes: Uint8Array.from(raw(vector.bytes)), unpaddedLength: 20 });
      }
    }
  });
});

describe('invalid text', () => {
  test('parseHex rejects bad digits, odd length, a missing prefix and a wrong checksum', () => {
    expect(faultOf(() => parseHex('hex', '0x'))).toBe('input string is smaller than the checksum size');
    expect(faultOf(() => parseHex('hex', '00'))).toBe('missing 0x prefix to hex encoding');
    expect(faultOf(() => parseHex('hex', '0X00'))).toBe('missing 0x prefix to hex encoding');
    expect(faultOf(() => parseHex('hexnc', '0x0'))).toBe('encoding/hex: odd length hex string');
    expect(faultOf(() => parseHex('hexnc', '0x0g1'))).toBe("encoding/hex: invalid byte: U+0067 'g'");
    expect(faultOf(() => parseHex('hexnc', '0x00é0'))).toBe("encoding/hex: invalid byte: U+00C3 'Ã'");
    // The low bytes of these characters are the digits 0 and 1.
    expect(faultOf(() => parseHex('hexnc', '0x\u0130\u0131'))).toBe("encoding/hex: invalid byte: U+00C4 'Ä'");
    expect(faultOf(() => parseHex('hex', '0x0000000000'))).toBe('invalid input checksum');
    expect(parseHex('hex', '')).toEqual(new Uint8Array(0));
  });

  test('parseId rejects anything but 32 bytes', () => {
    expect(parseId(idText(zeroId))).toBe(zeroId);
    expect(faultOf(() => parseId('3DUyVE7YU'))).toContain('expected 32 bytes');
    expect(faultOf(() => parseId(''))).toBe('base58 decoding error: zero length string');
    expect(faultOf(() => parseId('1'.repeat(10_000)))).toBe('invalid input checksum');
  });

  test('base58 errors have the texts of the library AvalancheGo uses', () => {
    for (const [text, shown] of [
      ['0', "Invalid base58 digit ('0')"],
      ["1'", "Invalid base58 digit ('\\'')"],
      ['\\', "Invalid base58 digit ('\\\\')"],
      ['1\n', "Invalid base58 digit ('\\n')"],
      ['\x00', "Invalid base58 digit ('\\x00')"],
      ['\x7f', "Invalid base58 digit ('\\x7f')"],
      ['é0', 'High-bit set on invalid digit'],
      [`${'1'.repeat(10_000)}0`, "Invalid base58 digit ('0')"],
    ] as const)
      expect(faultOf(() => parseId(text))).toBe(`base58 decoding error: ${shown}`);
  });
});

describe('random input', () => {
  test('bech32Encode gives the same text as the library, for every length', () => {
    fc.assert(
      fc.property(fc.constantFrom('avax', 'fuji', 'local', 'custom', 'x'), fc.uint8Array({ maxLength: 60 }), (hrp, bytes) => {
        expect(bech32Encode(hrp, bytes)).toBe(bech32.encode(hrp, bech32.toWords(bytes), false));
      }),
      { numRuns: 2000 },
    );
  });

  test('bytes and ids survive a round trip', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(toHex(cb58Decode(cb58Encode(bytes)))).toBe(toHex(bytes));
        expect(toHex(parseHex('hex', formatHex('hex', bytes)))).toBe(toHex(bytes));
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const id = idFromBytes(bytes);
        expect(parseId(idText(id))).toBe(id);
      }),
    );
  });

  test('a parser of random text returns a value or throws a Fault', () => {
    const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.base64String());
    fc.assert(
      fc.property(texts, (text) => {
        for (const parse of [parseId, cb58Decode, bech32Decode, (t: string) => parseHex('hex', t)]) faultOf(() => parse(text));
      }),
      { numRuns: 2000 },
    );
  });
});
