import { expect, test } from 'bun:test';
import { Writer } from './writer.ts';

const hexOf = (bytes: Uint8Array | readonly number[]): string => Buffer.from(bytes).toString('hex');

test('every kind of write is intact where the buffer grows', () => {
  const writes: [(writer: Writer) => void, number[]][] = [
    [(w) => w.u8(7), [7]],
    [(w) => w.u16(0x0102), [1, 2]],
    [(w) => w.u32(0x01020304), [1, 2, 3, 4]],
    [(w) => w.u64(0x0102030405060708n), [1, 2, 3, 4, 5, 6, 7, 8]],
    [(w) => w.fixed(Uint8Array.of(9, 8)), [9, 8]],
    [(w) => w.hex('0a0b'), [10, 11]],
  ];
  for (const [write, bytes] of writes)
    for (let before = 500; before <= 1030; before++) {
      const writer = new Writer();
      const start = Uint8Array.from({ length: before }, (_, i) => i + 1);
      writer.fixed(start);
      write(writer);
      expect(hexOf(writer.finish())).toBe(hexOf(start) + hexOf(bytes));
    }
});

test('a number that does not fit is refused: the denomination 256 must not become 0', () => {
  const writer = new Writer();
  for (const write of [() => writer.u8(256), () => writer.u16(65_536), () => writer.u32(2 ** 32), () => writer.u64(2n ** 64n)])
    expect(write).toThrow(RangeError);
});
