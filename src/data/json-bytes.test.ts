import { expect, test } from 'bun:test';
import { JsonBytes } from './json-bytes.ts';

const written = (write: (json: JsonBytes) => void): string => {
  const json = new JsonBytes();
  return Buffer.from(json.collect(() => write(json))).toString();
};

test('whole numbers of every length', () => {
  const numbers = [0, 9, 10, 99, 100, 999_999_999, 1_000_000_000, 1_000_000_001, 4_294_967_295, 1_700_000_000_000, Number.MAX_SAFE_INTEGER];
  for (let power = 1; power < 2 ** 53; power *= 7) numbers.push(power, power - 1);
  for (const number of numbers) expect(written((json) => json.number(number))).toBe(`${number}`);
  expect(written((json) => json.number(18_446_744_073_709_551_615n))).toBe('18446744073709551615');
});

test('parts, repeated bytes, hex and base64', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
  expect(written((json) => json.part(Buffer.from('abcdef'), 2, 4))).toBe('cd');
  expect(written((json) => json.hex(bytes, 3, 256))).toBe(Buffer.from(bytes.subarray(3)).toString('hex'));
  for (const end of [64, 65, 66])
    expect(written((json) => json.base64(bytes, 0, end))).toBe(Buffer.from(bytes.subarray(0, end)).toString('base64'));
  const repeated = written((json) => {
    json.ascii('<text>');
    json.repeat(1, 4);
  });
  expect(repeated).toBe('<text>text');
});

test('the buffer grows while it is written, and repeated bytes stay where they were', () => {
  const text = written((json) => {
    json.ascii('start');
    for (let i = 0; i < 100_000; i++) json.repeat(0, 5);
  });
  expect(text).toBe('start'.repeat(100_001));
});
