import { expect, test } from 'bun:test';
import { JsonBytes } from './json-bytes.ts';

const json = new JsonBytes();
const written = (write: () => void): string => Buffer.from(json.collect(write)).toString();

test('bytes, hex and base64', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
  for (const end of [0, 1, 47, 48, 49, 256]) expect(json.collect(() => json.bytes(bytes.subarray(0, end)))).toEqual(bytes.slice(0, end));
  expect(written(() => json.hex(bytes, 3, 256))).toBe(Buffer.from(bytes.subarray(3)).toString('hex'));
  for (const end of [0, 1, 2, 3, 64, 65, 66, 256])
    expect(written(() => json.base64(bytes, 0, end))).toBe(Buffer.from(bytes.subarray(0, end)).toString('base64'));
});

test('texts of every length, while the buffer grows', () => {
  const texts = Array.from({ length: 600 }, (_, length) => 'abcdefg'.repeat(100).slice(0, length));
  expect(
    written(() => {
      for (const text of texts) json.ascii(text);
    }),
  ).toBe(texts.join(''));
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
