import { expect, test } from 'bun:test';
import { bech32Encode } from './bech32.ts';
import { bech32Range } from './bech32-range.ts';
import { sha256 } from './hash.ts';
import { compare } from './octets.ts';

const within = (bytes: Uint8Array, letters: string): boolean => {
  const range = bech32Range(letters, bytes.length);
  return range !== undefined && compare(range.low, bytes) <= 0 && compare(bytes, range.high) <= 0;
};

test('bytes are within the range of every beginning of their text, and of no other', () => {
  for (let i = 0; i < 200; i++) {
    const bytes = sha256(Buffer.from(`address ${i}`)).subarray(0, 20);
    const letters = bech32Encode('local', bytes).slice('local1'.length);
    for (const length of [1, 4, 5, 31, 32, 38])
      expect([letters, length, within(bytes, letters.slice(0, length))]).toEqual([letters, length, true]);
    const other = letters[3] === 'q' ? 'p' : 'q';
    expect(within(bytes, letters.slice(0, 3) + other + letters.slice(4, 8))).toBe(false);
  }
});

test('texts that are not bech32 have no range', () => {
  for (const text of ['', 'b', 'abc', '1qq', 'q q']) expect(bech32Range(text, 20)).toBeUndefined();
});
