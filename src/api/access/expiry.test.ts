import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { dateText, readExpiry } from './expiry.ts';

const now = 1_800_000_000;

test('readExpiry reads durations and times, and nothing else', () => {
  expect(readExpiry('90m', now)).toBe(now + 5_400);
  expect(readExpiry('12h', now)).toBe(now + 43_200);
  expect(readExpiry('30d', now)).toBe(now + 2_592_000);
  expect(readExpiry('2w', now)).toBe(now + 1_209_600);
  expect(readExpiry('2027-01-01', now)).toBe(Date.UTC(2027, 0, 1) / 1_000);
  expect(readExpiry('2028-02-29', now)).toBe(Date.UTC(2028, 1, 29) / 1_000);
  expect(readExpiry('2027-06-15T12:30:45Z', now)).toBe(Date.UTC(2027, 5, 15, 12, 30, 45) / 1_000);
  for (const text of [
    '',
    '30',
    'd',
    '-1d',
    '1.5h',
    '30 d',
    '2027-02-29',
    '2027-13-01',
    '2027-01-01T24:00:00Z',
    '2027-1-1',
    'tomorrow',
    '9999999d',
  ])
    expect(readExpiry(text, now)).toBeUndefined();
});

test('readExpiry and dateText agree with Date for every second', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 253_402_300_799 }), (seconds) => {
      expect(readExpiry(new Date(seconds * 1_000).toISOString().replace('.000', ''), now)).toBe(seconds);
      expect(dateText(seconds)).toBe(new Date(seconds * 1_000).toISOString().replace('T', ' ').replace('.000Z', ' UTC'));
    }),
  );
});
