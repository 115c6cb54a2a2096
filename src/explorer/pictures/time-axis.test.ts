import { expect, test } from 'bun:test';
import { pointText, timeTicks } from './time-axis.ts';

const unix = (text: string): number => Date.parse(text) / 1000;
const texts = (first: string, last: string, count = 4, offset = 0): string[] =>
  timeTicks(unix(first), unix(last), count, offset).map(({ text }) => text);

test('ticks are round times, few enough for the width, in the zone of the reader', () => {
  expect(texts('2026-11-18T16:03:10Z', '2026-11-18T17:03:10Z')).toEqual(['16:15', '16:30', '16:45', '17:00']);
  expect(texts('2026-11-18T16:03:10Z', '2026-11-18T17:03:10Z', 2)).toEqual(['16:30', '17:00']);
  expect(texts('2026-11-18T16:03:11Z', '2026-11-18T16:04:11Z')).toEqual(['16:03:15', '16:03:30', '16:03:45', '16:04:00']);
  expect(texts('2026-11-17T17:00:00Z', '2026-11-18T17:00:00Z')).toEqual(['18:00', '18 Nov', '06:00', '12:00']);
  expect(texts('2026-11-17T17:00:00Z', '2026-11-18T17:00:00Z', 4, 19_800)).toEqual(['18 Nov', '06:00', '12:00', '18:00']);
  expect(texts('2026-10-20T00:00:00Z', '2026-11-18T00:00:00Z')).toEqual(['22 Oct', '5 Nov']);
  expect(texts('2025-11-18T00:00:00Z', '2026-11-18T00:00:00Z', 7)).toEqual(['2026', 'Mar', 'May', 'Jul', 'Sep', 'Nov']);
  expect(texts('2020-01-02T00:00:00Z', '2026-11-18T00:00:00Z')).toEqual(['2022', '2024', '2026']);
});

test('a range of any length has at most one tick more than asked for, within the range', () => {
  for (let span = 1; span < 4e9; span = Math.ceil(span * 1.7))
    for (const count of [2, 4, 8]) {
      const ticks = timeTicks(1_700_000_123, 1_700_000_123 + span, count, 3600);
      expect([span, ticks.length <= count + 1]).toEqual([span, true]);
      for (const { time } of ticks) expect([span, time >= 1_700_000_123 && time <= 1_700_000_123 + span]).toEqual([span, true]);
    }
});

test('a value says its time as exactly as the range needs', () => {
  const time = unix('2026-11-18T16:03:10Z');
  expect(pointText(time, time - 3600, time, 0, false)).toBe('16:03:10');
  expect(pointText(time, time - 86_400, time, 19_800, false)).toBe('18 Nov 21:33');
  expect(pointText(time, time - 86_400, time, 0, true)).toBe('18 Nov 2026');
});
