import { expect, test } from 'bun:test';
import { decodeGoUtf8 } from './go-utf8.ts';

const decode = (...bytes: number[]): string => decodeGoUtf8(Buffer.from(bytes));

test('each byte that is part of no valid sequence becomes one U+FFFD', () => {
  for (const [bytes, expected] of [
    // Beginnings of sequences, at the end and before another character.
    [[0xe2, 0x82], '\ufffd\ufffd'],
    [[0xe2, 0x82, 0x41], '\ufffd\ufffdA'],
    [[0xf0, 0x9f, 0x98, 0x41], '\ufffd\ufffd\ufffdA'],
    [[0xc3], '\ufffd'],
    // Ends of sequences, bytes that UTF-8 never has.
    [[0x80, 0x80], '\ufffd\ufffd'],
    [[0xf5, 0xff], '\ufffd\ufffd'],
    // Longer than needed, a surrogate, above U+10FFFF.
    [[0xc0, 0x80], '\ufffd\ufffd'],
    [[0xe0, 0x80, 0x80], '\ufffd\ufffd\ufffd'],
    [[0xf0, 0x80, 0x80, 0x80], '\ufffd\ufffd\ufffd\ufffd'],
    [[0xed, 0xa0, 0x80], '\ufffd\ufffd\ufffd'],
    [[0xf4, 0x90, 0x80, 0x80], '\ufffd\ufffd\ufffd\ufffd'],
    // Valid ones stay, the replacement character among them.
    [[0xe2, 0x82, 0xac, 0xff, 0xf4, 0x8f, 0xbf, 0xbf, 0xed, 0x9f, 0xbf], '\u20ac\ufffd\u{10ffff}\ud7ff'],
    [[0xef, 0xbf, 0xbd], '\ufffd'],
  ] as const)
    expect(decode(...bytes)).toBe(expected);
});

test('valid text is what JavaScript reads', () => {
  const text = Array.from({ length: 0x11000 }, (_, i) => (i >= 0xd800 && i < 0xe000 ? '' : String.fromCodePoint(i))).join('');
  expect(decodeGoUtf8(Buffer.from(text))).toBe(text);
  expect(decodeGoUtf8(Buffer.concat([Buffer.from(text), Buffer.of(0xff)]))).toBe(`${text}\ufffd`);
});
