import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { checkAndCount, countAdmitted, type LimitDecision, type Limits, newClientState } from './rate-limit.ts';
import { anyLimits, anyStart, anySteps } from './request-steps.fixture.ts';

const minute = 60_000;
const day = 86_400_000;
const plan = { perMinute: 10, perDay: 1_000 };

/** A slow and simple model: stores every request and sums all of them each time. */
function createModel(limits: Limits) {
  const log: { at: number; weight: number }[] = [];
  const refusals: number[] = [];
  let lockedUntil = 0;
  const since = (from: number): number => log.reduce((sum, { at, weight }) => (at > from ? sum + weight : sum), 0);
  /** A request counts until the last one of its bucket is a window ago. */
  const inBuckets = (now: number, width: number, buckets: number): number => {
    const last = new Map(log.map(({ at }) => [Math.floor(at / width), at]));
    return log.reduce((sum, { at, weight }) => (last.get(Math.floor(at / width))! > now - buckets * width ? sum + weight : sum), 0);
  };
  const take = (now: number, weight: number): Pick<LimitDecision, 'admitted' | 'remaining' | 'lockedOut'> => {
    const counted = { minute: inBuckets(now, 1_000, 60), day: inBuckets(now, 300_000, 288) };
    const full = counted.minute + weight > limits.perMinute || counted.day + weight > limits.perDay;
    const admitted = weight === 0 || (!full && now >= lockedUntil);
    if (admitted && weight > 0) log.push({ at: now, weight });
    if (!admitted) {
      if (now - (refusals.at(-1) ?? 0) >= 600_000) refusals.length = 0;
      refusals.push(now);
      if (refusals.length > Math.max(10, Math.ceil(limits.perMinute / 10))) lockedUntil = now + minute;
    }
    const taken = admitted ? weight : 0;
    const left = Math.min(limits.perMinute - counted.minute - taken, limits.perDay - counted.day - taken);
    const lockedOut = lockedUntil > now;
    return { admitted, remaining: lockedOut ? 0 : left, lockedOut };
  };
  return { log, since, take };
}

test('equals the model; never more than the limit in any window, and hardly less', () => {
  fc.assert(
    fc.property(anyStart, anyLimits, anySteps, (start, limits, steps) => {
      const model = createModel(limits);
      const client = newClientState();
      let now = start;
      for (const { gap, weight } of steps) {
        now += gap;
        const before = { minute: model.since(now - minute - 1_000), day: model.since(now - day - 300_000) };
        const { admitted, remaining, lockedOut, waitMilliseconds, windowSeconds } = checkAndCount(client, now, weight, limits);
        const expected = model.take(now, weight);
        // The day is shown where it makes a heavy request wait although less is left of the minute.
        const isShownDay = windowSeconds === 86_400 && waitMilliseconds > minute;
        expect({ admitted, lockedOut }).toEqual({ admitted: expected.admitted, lockedOut: expected.lockedOut });
        if (!isShownDay) expect(remaining).toBe(expected.remaining);
        if (!admitted || remaining === 0) expect(waitMilliseconds).toBeGreaterThan(0);
        expect(waitMilliseconds).toBeLessThanOrEqual(windowSeconds * 1_000);
        if (!admitted && !lockedOut) expect(before.minute + weight > limits.perMinute || before.day + weight > limits.perDay).toBe(true);
      }
      for (const { at } of model.log) {
        const within = (length: number) =>
          model.log.reduce((sum, one) => (one.at > at - length && one.at <= at ? sum + one.weight : sum), 0);
        expect(within(minute)).toBeLessThanOrEqual(limits.perMinute);
        expect(within(day)).toBeLessThanOrEqual(limits.perDay);
      }
    }),
    { numRuns: 400 },
  );
});

test('waitMilliseconds is exact', () => {
  fc.assert(
    fc.property(anyStart, anyLimits, anySteps, (start, limits, steps) => {
      const client = newClientState();
      let now = start;
      for (const { gap, weight } of steps) {
        now += gap;
        const { waitMilliseconds } = checkAndCount(client, now, weight, limits);
        const isAdmittedAfter = (wait: number): boolean =>
          checkAndCount(structuredClone(client), now + wait, Math.max(1, weight), limits).admitted;
        if (Math.max(1, weight) <= Math.min(limits.perMinute, limits.perDay)) expect(isAdmittedAfter(waitMilliseconds)).toBe(true);
        if (waitMilliseconds > 0) expect(isAdmittedAfter(waitMilliseconds - 1)).toBe(false);
      }
    }),
    { numRuns: 200 },
  );
});

test('the wait is never longer than the window, wherever in a bucket the request was', () => {
  fc.assert(
    fc.property(anyStart, (start) => {
      const client = newClientState();
      checkAndCount(client, start, 1, { perMinute: 1, perDay: 9 });
      expect(checkAndCount(client, start, 1, { perMinute: 1, perDay: 9 }).waitMilliseconds).toBe(minute);
      const other = newClientState();
      checkAndCount(other, start, 1, { perMinute: 9, perDay: 1 });
      expect(checkAndCount(other, start, 1, { perMinute: 9, perDay: 1 }).waitMilliseconds).toBe(day);
    }),
  );
});

test('no burst at the boundary of a window', () => {
  const client = newClientState();
  const burst = (now: number, many: number): number =>
    Array.from({ length: many }, () => checkAndCount(client, now, 1, plan)).filter(({ admitted }) => admitted).length;
  expect(burst(59_999, 10)).toBe(10);
  expect(burst(60_000, 4)).toBe(0);
  expect(burst(119_998, 4)).toBe(0);
  expect(burst(119_999, 14)).toBe(10);
});

test('limit and remaining are those of the window with less left', () => {
  const client = newClientState();
  const limits = { perMinute: 5, perDay: 7 };
  const seen = [0, 0, 0, minute + 1_000, minute + 1_000].map((now) => checkAndCount(client, now, 1, limits));
  expect(seen.map(({ limit, remaining, windowSeconds }) => [limit, remaining, windowSeconds])).toEqual([
    [5, 4, 60],
    [5, 3, 60],
    [5, 2, 60],
    [7, 3, 86_400],
    [7, 2, 86_400],
  ]);
});

test('weight 0 is neither counted nor refused', () => {
  const client = newClientState();
  for (let i = 0; i < 40; i++) checkAndCount(client, 0, 1, plan);
  expect(checkAndCount(client, 0, 0, plan)).toEqual({
    admitted: true,
    limit: 10,
    remaining: 0,
    windowSeconds: 60,
    waitMilliseconds: minute,
    lockedOut: true,
  });
  expect(client.refusals).toBe(30);
});

test('a client that continues after refusals is locked out until it has sent nothing for a minute; the refusals are reset after a pause', () => {
  const client = newClientState();
  const limits = { perMinute: 10, perDay: 1_000_000 };
  const refusal = (now: number) => Math.ceil(checkAndCount(client, now, 1, limits).waitMilliseconds / 1_000);
  for (let i = 0; i < 10; i++) checkAndCount(client, 0, 1, limits);
  const waits = Array.from({ length: 800 }, () => refusal(30_000));
  expect(waits.slice(0, 12)).toEqual([...new Array(10).fill(30), 60, 60]);
  expect(Math.max(...waits)).toBe(60);
  // The limit would admit it, but it was refused a moment ago.
  expect(checkAndCount(client, 30_000 + minute - 1, 1, limits).admitted).toBe(false);
  expect(checkAndCount(client, 30_000 + 2 * minute - 2, 1, limits).admitted).toBe(false);
  expect(checkAndCount(client, 30_000 + 3 * minute - 2, 1, limits).admitted).toBe(true);
  for (let i = 0; i < 9; i++) checkAndCount(client, 3_600_000, 1, limits);
  expect(checkAndCount(client, 3_600_000, 2, limits)).toMatchObject({ admitted: false, lockedOut: false });
  expect(client.refusals).toBe(1);
});

test('a heavy request that the day does not admit is told of the day, although less is left of the minute', () => {
  const client = newClientState();
  const limits = { perMinute: 4, perDay: 10 };
  for (let i = 0; i < 4; i++) checkAndCount(client, i < 2 ? 0 : 2 * minute, 2, limits);
  expect(checkAndCount(client, 2 * minute, 3, limits)).toMatchObject({ admitted: false, limit: 10, windowSeconds: 86_400, remaining: 2 });
});

test('a clock set back by seconds does not free the limit; one set back by days resets the client', () => {
  const client = newClientState();
  for (let i = 0; i < 10; i++) expect(checkAndCount(client, 1_000_000, 1, plan).admitted).toBe(true);
  expect(checkAndCount(client, 900_000, 1, plan).admitted).toBe(false);
  expect(checkAndCount(client, 1_000_000 + minute + 1_000, 1, plan).admitted).toBe(true);
  const ahead = newClientState();
  for (let i = 0; i < 10; i++) checkAndCount(ahead, 9 * day, 1, plan);
  expect(checkAndCount(ahead, day, 1, plan)).toMatchObject({ admitted: true, remaining: 9 });
});

test('requests admitted elsewhere are counted', () => {
  const client = newClientState();
  countAdmitted(client, 5, 4);
  expect(checkAndCount(client, 5, 1, plan).remaining).toBe(5);
});
