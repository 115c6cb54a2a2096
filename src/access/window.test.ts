import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { anyLimits, anyStart, anySteps } from './visits.fixture.ts';
import { judge, type Limits, newStanding, note, type Verdict } from './window.ts';

const minute = 60_000;
const day = 86_400_000;
const plan = { perMinute: 10, perDay: 1_000 };

/** Remembers every request, and looks through all of them each time: slow and plain. */
function createOracle(limits: Limits) {
  const log: { at: number; weight: number }[] = [];
  const refusals: number[] = [];
  let shutUntil = 0;
  const since = (from: number): number => log.reduce((sum, { at, weight }) => (at > from ? sum + weight : sum), 0);
  /** A request counts until the last one of its bucket is a window ago. */
  const inBuckets = (now: number, width: number, buckets: number): number => {
    const last = new Map(log.map(({ at }) => [Math.floor(at / width), at]));
    return log.reduce((sum, { at, weight }) => (last.get(Math.floor(at / width))! > now - buckets * width ? sum + weight : sum), 0);
  };
  const take = (now: number, weight: number): Pick<Verdict, 'admitted' | 'remaining' | 'shutOut'> => {
    const counted = { minute: inBuckets(now, 1_000, 60), day: inBuckets(now, 300_000, 288) };
    const full = counted.minute + weight > limits.perMinute || counted.day + weight > limits.perDay;
    const admitted = weight === 0 || (!full && now >= shutUntil);
    if (admitted && weight > 0) log.push({ at: now, weight });
    if (!admitted) {
      if (now - (refusals.at(-1) ?? 0) >= 600_000) refusals.length = 0;
      refusals.push(now);
      const times = Math.floor((refusals.length - 1) / Math.max(10, Math.ceil(limits.perMinute / 10)));
      if (times > 0) shutUntil = Math.max(shutUntil, now + Math.min(3_600_000, minute * 2 ** Math.floor(Math.log2(times))));
    }
    const taken = admitted ? weight : 0;
    const left = Math.min(limits.perMinute - counted.minute - taken, limits.perDay - counted.day - taken);
    const shutOut = shutUntil > now;
    return { admitted, remaining: shutOut ? 0 : left, shutOut };
  };
  return { log, since, take };
}

test('as the plain one says, never more than the limit in any window, and hardly less', () => {
  fc.assert(
    fc.property(anyStart, anyLimits, anySteps, (start, limits, steps) => {
      const oracle = createOracle(limits);
      const standing = newStanding();
      let now = start;
      for (const { gap, weight } of steps) {
        now += gap;
        const before = { minute: oracle.since(now - minute - 1_000), day: oracle.since(now - day - 300_000) };
        const { admitted, remaining, shutOut, wait } = judge(standing, now, weight, limits);
        expect({ admitted, remaining, shutOut }).toEqual(oracle.take(now, weight));
        expect(wait > 0).toBe(!admitted);
        if (!shutOut) expect(wait).toBeLessThanOrEqual(before.day + weight > limits.perDay ? day : minute);
        if (!admitted && !shutOut) expect(before.minute + weight > limits.perMinute || before.day + weight > limits.perDay).toBe(true);
      }
      for (const { at } of oracle.log) {
        const within = (span: number) => oracle.log.reduce((sum, one) => (one.at > at - span && one.at <= at ? sum + one.weight : sum), 0);
        expect(within(minute)).toBeLessThanOrEqual(limits.perMinute);
        expect(within(day)).toBeLessThanOrEqual(limits.perDay);
      }
    }),
    { numRuns: 400 },
  );
});

test('the wait it tells is exact', () => {
  fc.assert(
    fc.property(anyStart, anyLimits, anySteps, (start, limits, steps) => {
      const standing = newStanding();
      let now = start;
      for (const { gap, weight } of steps) {
        now += gap;
        const { admitted, wait } = judge(standing, now, weight, limits);
        if (admitted) continue;
        expect(judge(structuredClone(standing), now + wait, weight, limits).admitted).toBe(true);
        expect(judge(structuredClone(standing), now + wait - 1, weight, limits).admitted).toBe(false);
      }
    }),
    { numRuns: 200 },
  );
});

test('nobody waits longer than the window, wherever in a bucket the request was', () => {
  fc.assert(
    fc.property(anyStart, (start) => {
      const standing = newStanding();
      judge(standing, start, 1, { perMinute: 1, perDay: 9 });
      expect(judge(standing, start, 1, { perMinute: 1, perDay: 9 }).wait).toBe(minute);
      const other = newStanding();
      judge(other, start, 1, { perMinute: 9, perDay: 1 });
      expect(judge(other, start, 1, { perMinute: 9, perDay: 1 }).wait).toBe(day);
    }),
  );
});

test('no burst at the edge of a window', () => {
  const standing = newStanding();
  const burst = (now: number, many: number): number =>
    Array.from({ length: many }, () => judge(standing, now, 1, plan)).filter(({ admitted }) => admitted).length;
  expect(burst(59_999, 10)).toBe(10);
  expect(burst(60_000, 4)).toBe(0);
  expect(burst(119_998, 4)).toBe(0);
  expect(burst(119_999, 14)).toBe(10);
});

test('limit and remaining speak of the window with less left', () => {
  const standing = newStanding();
  const limits = { perMinute: 5, perDay: 7 };
  const seen = [0, 0, 0, minute + 1_000, minute + 1_000].map((now) => judge(standing, now, 1, limits));
  expect(seen.map(({ limit, remaining, seconds }) => [limit, remaining, seconds])).toEqual([
    [5, 4, 60],
    [5, 3, 60],
    [5, 2, 60],
    [7, 3, 86_400],
    [7, 2, 86_400],
  ]);
});

test('weight 0 is neither counted nor refused', () => {
  const standing = newStanding();
  for (let i = 0; i < 40; i++) judge(standing, 0, 1, plan);
  expect(judge(standing, 0, 0, plan)).toEqual({ admitted: true, limit: 10, remaining: 0, seconds: 60, wait: 0, shutOut: true });
  expect(standing.refused).toBe(30);
});

test('who goes on after being refused is shut out for longer and longer, and forgiven when quiet', () => {
  const standing = newStanding();
  const limits = { perMinute: 10, perDay: 1_000_000 };
  const refusal = (now: number) => Math.ceil(judge(standing, now, 1, limits).wait / 1_000);
  for (let i = 0; i < 10; i++) judge(standing, 0, 1, limits);
  const waits = Array.from({ length: 800 }, () => refusal(30_000));
  expect(waits.slice(0, 12)).toEqual([...new Array(10).fill(30), 60, 60]);
  expect([...new Set(waits)]).toEqual([30, 60, 120, 240, 480, 960, 1_920, 3_600]);
  // An hour later it may go on, and what it did is forgotten.
  expect(judge(standing, 30_000 + 3_600_000 - 1, 1, limits).admitted).toBe(false);
  expect(judge(standing, 30_000 + 3_600_000, 1, limits).admitted).toBe(true);
  expect(standing.refused).toBe(1);
});

test('a clock that is set back stands still; one that was a day ahead is not believed', () => {
  const standing = newStanding();
  for (let i = 0; i < 10; i++) expect(judge(standing, 1_000_000, 1, plan).admitted).toBe(true);
  expect(judge(standing, 900_000, 1, plan).admitted).toBe(false);
  expect(judge(standing, 1_000_000 + minute + 1_000, 1, plan).admitted).toBe(true);
  const ahead = newStanding();
  for (let i = 0; i < 10; i++) judge(ahead, 9 * day, 1, plan);
  expect(judge(ahead, day, 1, plan)).toMatchObject({ admitted: true, remaining: 9 });
});

test('what was admitted elsewhere counts', () => {
  const standing = newStanding();
  note(standing, 5, 4);
  expect(judge(standing, 5, 1, plan).remaining).toBe(5);
});
