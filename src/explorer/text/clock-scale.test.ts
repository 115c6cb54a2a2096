import { expect, test } from 'bun:test';
import { clockMarks, maxPosition, offsetAt, positionOf, stepsPerMark } from './clock-scale.ts';

test('every mark is at its step', () => {
  for (const [at, { seconds }] of clockMarks.entries()) {
    expect(offsetAt(at * stepsPerMark)).toBe(seconds);
    expect(positionOf(seconds)).toBe(at * stepsPerMark);
  }
});

test('positions and offsets are inverse, and grow together', () => {
  for (let position = 0; position <= maxPosition; position++) {
    expect(positionOf(offsetAt(position))).toBe(position);
    if (position > 0) expect(offsetAt(position)).toBeGreaterThan(offsetAt(position - 1));
  }
});

test('offsets outside the scale are at its ends', () => {
  expect(positionOf(-3600)).toBe(0);
  expect(positionOf(10 * 365 * 86_400)).toBe(maxPosition);
  expect(offsetAt(-5)).toBe(0);
  expect(offsetAt(1e9)).toBe(365 * 86_400);
});
