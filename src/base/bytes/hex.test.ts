import { expect, test } from 'bun:test';
import { createRepeatedHex } from './hex.ts';

/** Bytes whose last two are the same, so that all of them share a slot. */
const bytesOf = (length: number, seed: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i >= length - 2 ? 7 : (seed * 31 + i * 17) % 256));

test('the digits are those of the bytes at the offset, also after other bytes with the same last bits', () => {
  for (const length of [20, 32] as const) {
    const hexAt = createRepeatedHex(length);
    for (let round = 0; round < 3; round++)
      for (let seed = 0; seed < 300; seed++) {
        const bytes = Buffer.concat([Buffer.alloc(seed % 5, 0xee), bytesOf(length, seed), Buffer.alloc(3)]);
        expect(hexAt(bytes, seed % 5)).toBe(Buffer.from(bytesOf(length, seed)).toString('hex'));
      }
    expect(hexAt(new Uint8Array(length), 0)).toBe('00'.repeat(length));
  }
});

test('what differs in one byte is not taken for the same', () => {
  const hexAt = createRepeatedHex(32);
  const first = bytesOf(32, 1);
  const known = hexAt(first, 0);
  for (let i = 0; i < 32; i++) {
    const other = Uint8Array.from(first, (byte, at) => (at === i ? byte ^ 1 : byte));
    expect(hexAt(other, 0)).toBe(Buffer.from(other).toString('hex'));
    expect(hexAt(first, 0)).toBe(known);
  }
});
