import { expect, test } from 'bun:test';
import { parseRfc3339, rfc3339, utcDateTime, zeroTime } from './rfc3339.ts';

test('a time is formatted as in Go: no trailing zeros, no fraction of zero', () => {
  expect(rfc3339(0n)).toBe('1970-01-01T00:00:00Z');
  expect(rfc3339(1_607_144_400_000_000_000n)).toBe('2020-12-05T05:00:00Z');
  expect(rfc3339(1_794_703_706_366_454_660n)).toBe('2026-11-15T00:48:26.36645466Z');
  expect(rfc3339(1n)).toBe('1970-01-01T00:00:00.000000001Z');
  expect(rfc3339(-1n)).toBe('1969-12-31T23:59:59.999999999Z');
  expect(rfc3339(-62_135_596_800_000_000_000n)).toBe(zeroTime);
  expect(rfc3339(253_399_622_400_000_000_000n)).toBe('9999-12-01T00:00:00Z');
});

test('dates equal those of JavaScript Date', () => {
  for (let day = -800_000; day <= 800_000; day += 61) {
    const shown = utcDateTime(BigInt(day) * 86_400n);
    const date = new Date(day * 86_400_000);
    expect([shown.year, shown.month, shown.day]).toEqual([date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]);
  }
});

test('parseRfc3339 reads dates with a zone and refuses those that do not exist', () => {
  for (const [text, seconds] of [
    ['1970-01-01T00:00:00Z', 0n],
    ['2030-01-01T00:00:00Z', 1_893_456_000n],
    ['2030-01-01T01:30:00.5+01:30', 1_893_456_000n],
    ['2029-12-31T23:00:00-01:00', 1_893_456_000n],
    ['2028-02-29T12:00:00Z', 1_835_438_400n],
  ] as const)
    expect([text, parseRfc3339(text)]).toEqual([text, seconds]);
  for (const text of ['2030-02-30T00:00:00Z', '2030-01-01T25:00:00Z', '2030-01-01', '2030-01-01T00:00:00', '1893456000', ''])
    expect([text, parseRfc3339(text)]).toEqual([text, undefined]);
});
