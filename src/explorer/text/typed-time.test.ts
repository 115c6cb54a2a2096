import { expect, test } from 'bun:test';
import { endOfTypedTime } from './typed-time.ts';

const at = (text: string): number => Date.parse(text) / 1000;

test('a typed day, minute or second ends where the next one begins', () => {
  for (const day of ['2026-12-15', '15 Dec 2026', '15 december 2026', ' 2026-12-15 UTC'])
    expect([day, endOfTypedTime(day)]).toEqual([day, at('2026-12-16T00:00:00Z')]);
  expect(endOfTypedTime('2026-12-5')).toBe(at('2026-12-06T00:00:00Z'));
  for (const minute of ['2026-12-15 09:41', '15 Dec 2026 9:41 UTC']) expect(endOfTypedTime(minute)).toBe(at('2026-12-15T09:42:00Z'));
  expect(endOfTypedTime('2026-12-15T09:41:07Z')).toBe(at('2026-12-15T09:41:08Z'));
});

test('a text that is no date is refused', () => {
  for (const text of ['', '1200', '2026-13-01', '2026-02-30', '30 Foo 2026', '2026-12-15 25:00', 'yesterday', '12/15/2026'])
    expect([text, endOfTypedTime(text)]).toEqual([text, undefined]);
});
