import { expect, test } from 'bun:test';
import { createUnixNanos } from './unix-nanos.ts';

const start = 1_794_703_706_000;

/** A system clock and a monotonic clock that the test controls, in nanoseconds. */
function createClocks() {
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

test('is within a millisecond of the system clock, never runs backwards, and has sub-millisecond resolution', () => {
  const { time, now, pass } = createClocks();
  pass(640_123n);
  let last = now();
  for (let i = 0; i < 20_000; i++) {
    pass(7_919n);
    const nanos = now();
    expect(nanos).toBeGreaterThanOrEqual(last);
    expect(Math.abs(Number(nanos - time.system))).toBeLessThan(1_000_000);
    if (i > 200) expect(nanos - last).toBeGreaterThan(0n);
    last = nanos;
  }
  // After the first full millisecond the offset is known, as precisely as the clock was read.
  expect(Math.abs(Number(last - time.system))).toBeLessThan(10_000);
});

test('follows a system clock that drifts or is set back a little, without running backwards', () => {
  for (const drift of [-3n, 3n, 200n]) {
    const { time, now, pass } = createClocks();
    let last = now();
    for (let i = 0; i < 5000; i++) {
      pass(10_000n);
      time.system += drift;
      if (i === 2500) time.system -= 5_000_000n;
      const nanos = now();
      expect(nanos).toBeGreaterThanOrEqual(last);
      expect(Math.abs(Number(nanos - time.system))).toBeLessThan(7_000_000);
      last = nanos;
    }
  }
});

test('follows a system clock that is set back by an hour', () => {
  const { time, now } = createClocks();
  now();
  time.system -= 3_600_000_000_000n;
  expect(Math.abs(Number(now() - time.system))).toBeLessThan(1_000_000);
});
