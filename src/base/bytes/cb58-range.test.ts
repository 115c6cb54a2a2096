import { expect, test } from 'bun:test';
import { cb58Encode } from './cb58.ts';
import { cb58Ranges } from './cb58-range.ts';
import { sha256 } from './hash.ts';
import { compare } from './octets.ts';

const within = (bytes: Uint8Array, prefix: string): boolean =>
  cb58Ranges(prefix, 32).some(({ low, high }) => compare(low, bytes) <= 0 && compare(bytes, high) <= 0);

test('a hash is within the ranges of every prefix of its text, and of no other', () => {
  for (let i = 0; i < 200; i++) {
    const bytes = sha256(Buffer.from(`id ${i}`));
    const text = cb58Encode(bytes);
    for (const length of [2, 6, 8, 20]) expect([text, within(bytes, text.slice(0, length))]).toEqual([text, true]);
    const other = text[3] === 'z' ? 'y' : 'z';
    expect(within(bytes, text.slice(0, 3) + other + text.slice(4, 8))).toBe(false);
  }
});

test('texts that are no prefix of an ID have no ranges', () => {
  for (const text of ['', '0OIl', '11', 'ab c', 'z'.repeat(60)]) expect(cb58Ranges(text, 32)).toEqual([]);
});
