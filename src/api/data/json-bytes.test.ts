import { expect, test } from 'bun:test';
import { JsonBytes } from './json-bytes.ts';

const json = new JsonBytes();
const written = (write: () => void): string => Buffer.from(json.collect(write)).toString();

test('parts, repeated bytes, hex and base64', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
  expect(written(() => json.part(Buffer.from('abcdef'), 2, 4))).toBe('cd');
  expect(written(() => json.hex(bytes, 3, 256))).toBe(Buffer.from(bytes.subarray(3)).toString('hex'));
  for (const end of [0, 1, 2, 3, 64, 65, 66, 256])
    expect(written(() => json.base64(bytes, 0, end))).toBe(Buffer.from(bytes.subarray(0, end)).toString('base64'));
  const repeated = written(() => {
    json.ascii('<text>');
    json.repeat(1, 4);
  });
  expect(repeated).toBe('<text>text');
});

test('what was written since an offset is copied, as far as there is room', () => {
  const target = new Uint8Array(5);
  const copied: number[] = [];
  const text = written(() => {
    json.ascii('abc');
    copied.push(json.copyTo(target, 1));
    expect(Buffer.from(target).toString('latin1')).toBe('bc\0\0\0');
    json.ascii('defgh');
    copied.push(json.copyTo(target, 0));
  });
  expect(copied).toEqual([2, 5]);
  expect(Buffer.from(target).toString()).toBe('abcde');
  expect(text).toBe('abcdefgh');
});

test('the buffer grows while it is written, and repeated bytes stay where they were', () => {
  const text = written(() => {
    json.ascii('start');
    for (let i = 0; i < 100_000; i++) json.repeat(0, 5);
  });
  expect(text).toBe('start'.repeat(100_001));
});

test('numbers are written as JavaScript writes them', () => {
  const edges = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent).flatMap((power) => [power - 1, power, power + 1]);
  const numbers = [...edges, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 1_700_000_000, Number.MAX_SAFE_INTEGER];
  for (const number of numbers) expect(written(() => json.number(number))).toBe(`${number}`);
  for (const number of [0n, 2n ** 64n - 1n]) expect(written(() => json.number(number))).toBe(`${number}`);
});

test('an item that is larger than the buffer is written in full, and the next item begins anew', () => {
  const long = 'x'.repeat(3_000_000);
  expect(written(() => json.ascii(long))).toBe(long);
  const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => i % 251);
  expect(written(() => json.hex(bytes, 0, bytes.length))).toBe(Buffer.from(bytes).toString('hex'));
  expect(written(() => json.text('ä"'))).toBe('ä"');
});

test('a collected item does not change when the buffer is used again', () => {
  const first = json.collect(() => json.ascii('first'));
  json.collect(() => json.ascii('second'));
  expect(Buffer.from(first).toString()).toBe('first');
});
