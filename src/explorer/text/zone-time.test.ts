import { afterEach, expect, test } from 'bun:test';
import { setZone, utcTexts, zonedText, zoneName } from './zone-time.ts';

const zone = process.env.TZ;
afterEach(() => {
  process.env.TZ = zone ?? '';
  setZone('utc');
});

/** 9:41:06 UTC on a day in winter and on one in summer. */
const [winter, summer] = [Date.UTC(2026, 11, 15, 9, 41, 6) / 1000, Date.UTC(2026, 6, 31, 23, 41, 6) / 1000];

test('a time is in UTC until the reader has a zone', () => {
  process.env.TZ = 'Asia/Kolkata';
  expect(zonedText(winter, 'full')).toBe('15 Dec 2026 09:41:06 UTC');
  expect(zoneName()).toBe('UTC');
});

test('the zone is named, and is the one of that time: summer and winter, another day, half hours, west of UTC', () => {
  setZone('local');
  process.env.TZ = 'Europe/Berlin';
  expect(zonedText(winter, 'full')).toBe('15 Dec 2026 10:41:06 UTC+1');
  expect(zonedText(summer, 'full')).toBe('1 Aug 2026 01:41:06 UTC+2');
  process.env.TZ = 'Asia/Kolkata';
  expect(zonedText(winter, 'full')).toBe('15 Dec 2026 15:11:06 UTC+5:30');
  expect(zonedText(winter, 'day')).toBe('15 Dec 2026 15:11:06');
  expect(zonedText(winter, 'clock')).toBe('15:11:06');
  process.env.TZ = 'America/St_Johns';
  expect(zonedText(winter, 'full')).toBe('15 Dec 2026 06:11:06 UTC−3:30');
});

test('UTC and ISO stay at hand; a time that has no date is said in words', () => {
  setZone('local');
  process.env.TZ = 'Asia/Kolkata';
  expect(utcTexts(winter)).toBe('15 Dec 2026 09:41:06 UTC, 2026-12-15T09:41:06Z');
  expect(zonedText(2 ** 53, 'full')).toBe('after the year 9999');
  expect(utcTexts(2 ** 53)).toBe('after the year 9999');
});
