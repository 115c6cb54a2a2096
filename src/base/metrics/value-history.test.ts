import { expect, test } from 'bun:test';
import { createValueHistory, historyRings, sampleSeconds } from './value-history.ts';

const start = 1_800_000_000;

/** A history of a counter and a gauge, sampled every five seconds from `start` on. */
function setUp(total: (second: number) => number, level: (second: number) => number = () => 0) {
  const history = createValueHistory({ total: 'counter', level: 'gauge' });
  return {
    list: (time: number, window: number, bucketSeconds: number) => history.list(time, window, bucketSeconds).buckets,
    run: (from: number, to: number, late = 0): void => {
      for (let second = from; second <= to; second += sampleSeconds)
        history.sample(start + second + late, { total: total(second), level: level(second) });
    },
  };
}

test('counters are what they grew by, gauges their largest sample, in buckets of five seconds', () => {
  const { run, list } = setUp(
    (second) => 100 + second * 2,
    (second) => second % 15,
  );
  run(0, 30);
  expect(list(start + 30, 60, 5)).toEqual(
    [5, 10, 10, 5, 10, 10].map((level, at) => ({ start: start + at * 5, seconds: 5, values: { total: 10, level } })),
  );
  expect(list(start + 30, 15, 15)).toEqual([{ start: start + 15, seconds: 15, values: { total: 30, level: 10 } }]);
});

test('a timer that is a second early or late moves no counts to another bucket', () => {
  const { run, list } = setUp((second) => second);
  run(0, 0);
  for (let second = 5; second <= 120; second += 5) run(second, second, second % 2 === 0 ? 1 : -1);
  const buckets = list(start + 120, 120, 5);
  expect(buckets.map(({ start: time }) => time - start)).toEqual(Array.from({ length: 24 }, (_, at) => at * 5));
  expect(buckets.reduce((sum, { values }) => sum + values.total, 0)).toBe(120);
});

test('time without samples has no buckets, and nothing of it is counted in a later one', () => {
  const { run, list } = setUp((second) => second);
  run(0, 20);
  run(600, 620);
  expect(list(start + 620, 3600, 5).map(({ start: time, values }) => [time - start, values.total])).toEqual(
    [0, 5, 10, 15, 600, 605, 610, 615].map((time) => [time, 5]),
  );
});

test('a clock that is set back hides what is later than it, and counts go on', () => {
  const { run, list } = setUp((second) => 5000 + second);
  run(0, 20);
  run(-3600, -3590);
  expect(list(start - 3590, 60, 5).map(({ start: time, values }) => [time - start, values.total])).toEqual([
    [-3600, 5],
    [-3595, 5],
  ]);
});

test('a day by minute has the same sum as its counter, and takes no more room than its arrays', () => {
  const { run, list } = setUp((second) => second * 3);
  run(0, 2 * 86_400);
  const now = start + 2 * 86_400;
  const minutes = list(now, 86_400, 5);
  expect([minutes.length, minutes[0]?.start, minutes[0]?.seconds]).toEqual([1440, now - 86_400, 60]);
  expect(minutes.reduce((sum, { values }) => sum + values.total, 0)).toBe(86_400 * 3);
  expect(list(now, 86_400, 300).map(({ values }) => values.total)).toEqual(Array(288).fill(900));
  expect(list(now, 3600, 5)).toHaveLength(720);
  expect(historyRings.reduce((sum, { count }) => sum + count, 0) * 8).toBe(17_280);
});
