import { expect, test } from 'bun:test';
import { createUnixNanos } from './unix-nanos.ts';

const start = 1_794_703_706_000;

/** A system clock and a monotonic one, both under the test's control, in nanoseconds. */
function clocks() {
  const time = { system: BigInt(start) * 1_000_000n, monotonic: 77n };
  const now = createUnixNanos(
    () => Number(time.system / 1_000_000n),
    () => time.monotonic,
  );
  const pass = (nanos: bigint): void => {
    time.system += nanos;
    time.monotonic += nanos;
  };
  return { time, now, pass };
}

test('what it says is never off by a millisecond, never runs backwards, and tells instants within a millisecond apart', () => {
  const { time, now, pass } = clocks();
  pass(640_123n);
  let last = now();
  for (let i = 0; i < 20_000; i++) {
    pass(7_919n);
    const told = now();
    expect(told).toBeGreaterThanOrEqual(last);
    expect(Math.abs(Number(told - time.system))).toBeLessThan(1_000_000);
    if (i > 200) expect(told - last).toBeGreaterThan(0n);
    last = told;
  }
  // After the first full millisecond it knows where milliseconds begin, as exactly as it was asked.
  expect(Math.abs(Number(last - time.system))).toBeLessThan(10_000);
});

test('a system clock that is slower or faster, or set a little back, is followed without running backwards', () => {
  for (const drift of [-3n, 3n, 200n]) {
    const { time, now, pass } = clocks();
    let last = now();
    for (let i = 0; i < 5000; i++) {
      pass(10_000n);
      time.system += drift;
      if (i === 2500) time.system -= 5_000_000n;
      const told = now();
      expect(told).toBeGreaterThanOrEqual(last);
      expect(Math.abs(Number(told - time.system))).toBeLessThan(7_000_000);
      last = told;
    }
  }
});

test('a system clock that is set back by an hour is believed', () => {
  const { time, now } = clocks();
  now();
  time.system -= 3_600_000_000_000n;
  expect(Math.abs(Number(now() - time.system))).toBeLessThan(1_000_000);
});
