import { expect, test } from 'bun:test';
import { createForwardClock } from './forward-clock.ts';

function open() {
  const time = { unix: 1_700_000_000_000, monotonic: 5000 };
  const now = createForwardClock(
    () => time.unix,
    () => time.monotonic,
  );
  const pass = (monotonic: number, unix = monotonic): number => {
    time.monotonic += monotonic;
    time.unix += unix;
    return now();
  };
  return { pass, start: now() };
}

test('a clock for durations goes on while the system clock is set back, however often', () => {
  const { pass, start } = open();
  expect(start).toBe(1_700_000_000_000);
  expect(pass(1000) - start).toBe(1000);
  expect(pass(1000, -3_600_000) - start).toBe(2000);
  expect(pass(250) - start).toBe(2250);
  expect(pass(10, -2) - start).toBe(2260);
});

test('it goes on with the system clock: while the machine sleeps, when the clock is set ahead, and while it is slowed down', () => {
  const { pass, start } = open();
  expect(pass(0, 20_000) - start).toBe(20_000);
  expect(pass(1000, 3_600_000) - start).toBe(3_620_000);
  expect(pass(1000, 600) - start).toBe(3_620_600);
});
