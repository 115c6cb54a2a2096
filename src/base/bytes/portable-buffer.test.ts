import { expect, test } from 'bun:test';
import fc from 'fast-check';
import * as native from './hash.ts';
import { PortableBuffer } from './portable-buffer.ts';
import * as portable from './portable-hash.ts';

/** Compares the replacements for browsers with what they replace. */

const same = (a: Uint8Array, b: Uint8Array) => expect(Array.from(a)).toEqual(Array.from(b));
const anyText = fc.oneof(fc.string(), fc.string({ unit: 'binary' }));

test('texts become the bytes of Buffer, and bytes its texts', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      for (const encoding of ['utf8', 'latin1', 'utf16le'] as const) same(PortableBuffer.from(text, encoding), Buffer.from(text, encoding));
      expect(PortableBuffer.byteLength(text)).toBe(Buffer.byteLength(text));
    }),
  );
  // Only ASCII: Bun takes the low bytes of other letters for digits.
  fc.assert(fc.property(fc.string(), (text) => same(PortableBuffer.from(text, 'hex'), Buffer.from(text, 'hex'))));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), fc.nat(64), fc.nat(64), (bytes, from, to) => {
      for (const encoding of ['utf8', 'latin1', 'hex'] as const)
        expect(PortableBuffer.from(bytes).toString(encoding, from, to)).toBe(
          Buffer.from(bytes).toString(encoding, from, Math.max(from, to)),
        );
    }),
  );
});

test('numbers, copies, order and concatenation are those of Buffer', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 64n - 1n), fc.uint8Array(), fc.uint8Array(), (value, a, b) => {
      const [mine, other] = [PortableBuffer.alloc(16), Buffer.alloc(16)];
      for (const buffer of [mine, other]) {
        buffer.writeBigUInt64BE(value, 1);
        buffer.writeUInt32BE(Number(value & 0xffffffffn), 9);
        buffer.writeUInt16BE(Number(value & 0xffffn), 13);
        buffer.writeUInt8(Number(value & 0xffn), 15);
        buffer.write('abc', 0, 'hex');
      }
      same(mine, other);
      expect([mine.readBigUInt64BE(1), mine.readUInt32BE(9), mine.readUInt16BE(13)]).toEqual([
        other.readBigUInt64BE(1),
        other.readUInt32BE(9),
        other.readUInt16BE(13),
      ]);
      expect(PortableBuffer.compare(a, b)).toBe(Buffer.compare(a, b));
      same(PortableBuffer.concat([a, b]), Buffer.concat([a, b]));
      same(PortableBuffer.from(mine.buffer, 2, 5), Buffer.from(other.buffer, other.byteOffset + 2, 5));
    }),
  );
  expect(() => PortableBuffer.alloc(8).writeBigUInt64BE(-1n)).toThrow(RangeError);
  for (const buffer of [PortableBuffer.alloc(8), Buffer.alloc(8)]) {
    for (const value of [-1, 2 ** 8]) expect(() => buffer.writeUInt8(value, 0)).toThrow(RangeError);
    for (const value of [-1, 2 ** 16]) expect(() => buffer.writeUInt16BE(value, 0)).toThrow(RangeError);
    for (const value of [-1, 2 ** 32]) expect(() => buffer.writeUInt32BE(value, 0)).toThrow(RangeError);
  }
  expect(() => PortableBuffer.alloc(4).readBigUInt64BE(0)).toThrow(RangeError);
});

test('hashes are those of node:crypto', () => {
  expect(Object.keys(portable).sort()).toEqual(Object.keys(native).sort());
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 3000, size: 'max' }), (bytes) => {
      same(portable.sha256(bytes), native.sha256(bytes));
      const [portableHash, nativeHash] = [new Uint8Array(32), new Uint8Array(32)];
      portable.sha256Into(bytes, portableHash);
      native.sha256Into(bytes, nativeHash);
      same(portableHash, nativeHash);
      const prefix = bytes.length >> 1;
      portable.sha256Prefix(bytes, prefix, portableHash);
      native.sha256Prefix(bytes, prefix, nativeHash);
      same(portableHash, nativeHash);
      same(portableHash, native.sha256(bytes.subarray(0, prefix)));
      same(portable.hash160(bytes), native.hash160(bytes));
      same(portable.checksum(bytes), native.checksum(bytes));
      expect(portable.sha256Hex(bytes)).toBe(native.sha256Hex(bytes));
    }),
  );
});
