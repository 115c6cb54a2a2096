import { expect, test } from 'bun:test';
import { faultOf } from '../fault.fixture.ts';
import { Reader } from './reader.ts';

test('numbers are read exactly, also above 2^53', () => {
  const values = [0n, 1n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n];
  for (const value of values) {
    const bytes = Buffer.alloc(11);
    bytes.writeBigUInt64BE(value, 3);
    const reader = new Reader(bytes);
    reader.fixed(3);
    expect(reader.u64()).toBe(value);
  }
  for (const value of [0, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1]) {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    expect(new Reader(bytes).u32()).toBe(value);
    expect(new Reader(bytes).u16()).toBe(value >>> 16);
  }
});

test('a list may be as long as an int32 counts, and no longer', () => {
  expect(new Reader(Uint8Array.of(0x7f, 0xff, 0xff, 0xff)).count()).toBe(2 ** 31 - 1);
  expect(faultOf(() => new Reader(Uint8Array.of(0x80, 0, 0, 0)).count())).toEqual({ code: 'CODEC_LIST_TOO_LONG', count: 2 ** 31 });
});
