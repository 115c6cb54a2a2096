import { expect, test } from 'bun:test';
import type { ProcessActivity } from '../platform/node-processes.ts';
import { hungTimeout, killTimeout, pingInterval, stillTimeout, watchHeartbeat } from './heartbeat.ts';

/** Watches a process whose activity the test sets, and ticks when the test says so. */
function watch(hasActivity = true) {
  const state: { now: ProcessActivity | undefined } = { now: { cpuWait: 0, cpuTime: 0, isBusy: true } as ProcessActivity };
  let due: (() => void) | undefined;
  const intervals: number[] = [];
  const seen: (readonly [silentFor: number, stillFor: number])[] = [];
  const after = (ms: number, run: () => void) => {
    intervals.push(ms);
    due = run;
    return () => {
      due = undefined;
    };
  };
  const heartbeat = watchHeartbeat({ after }, hasActivity ? { activity: () => state.now } : {}, ({ silentFor, stillFor }) =>
    seen.push([silentFor, stillFor]),
  );
  return {
    ...heartbeat,
    intervals,
    isRunning: () => due !== undefined,
    /** Ticks once with this activity; returns what was told. */
    tick: (activity: Partial<ProcessActivity> | 'unknown' = {}) => {
      state.now = activity === 'unknown' ? undefined : ({ cpuWait: 0, cpuTime: 0, isBusy: true, ...activity } as ProcessActivity);
      due?.();
      return seen.at(-1);
    },
  };
}

test('silence is counted in ticks since the last message', () => {
  const { tick, reset, intervals, stop, isRunning } = watch();
  expect([tick(), tick(), tick()]).toEqual([
    [500, 0],
    [1000, 0],
    [1500, 0],
  ]);
  reset();
  expect(tick()).toEqual([500, 0]);
  expect([intervals, isRunning()]).toEqual([[500, 500, 500, 500, 500], true]);
  stop();
  expect(isRunning()).toBe(false);
  expect([pingInterval, hungTimeout, killTimeout, stillTimeout]).toEqual([500, 4500, 15_000, 1000]);
});

test('the time in which a process waits for a CPU is no silence', () => {
  const { tick, reset } = watch();
  // What it had waited before the first tick does not count.
  expect([tick({ cpuWait: 9000 }), tick({ cpuWait: 9000 }), tick({ cpuWait: 9001 })]).toEqual([
    [500, 0],
    [1000, 0],
    [1000, 0],
  ]);
  expect(tick({ cpuWait: 9501 })?.[0]).toBe(1000);
  expect(tick({ cpuWait: 99_000 })?.[0]).toBe(0);
  // While it is not known, it is what it was.
  expect(tick('unknown')?.[0]).toBe(0);
  reset();
  expect([tick({ cpuWait: 99_000 })?.[0], tick({ cpuWait: 98_000 })?.[0]]).toEqual([500, 1000]);
});

test('a process that did nothing at all stands still', () => {
  const { tick, reset } = watch();
  expect(tick({ isBusy: false, cpuTime: 7 })).toEqual([500, 0]);
  expect(tick({ isBusy: false, cpuTime: 7 })).toEqual([1000, 500]);
  expect(tick({ isBusy: false, cpuTime: 7 })).toEqual([1500, 1000]);
  expect(tick({ isBusy: true, cpuTime: 7 })?.[1]).toBe(0);
  expect(tick({ isBusy: false, cpuTime: 7 })?.[1]).toBe(500);
  expect(tick({ isBusy: false, cpuTime: 8 })?.[1]).toBe(0);
  expect(tick({ isBusy: false, cpuTime: 8 })?.[1]).toBe(500);
  reset();
  expect(tick({ isBusy: false, cpuTime: 8 })?.[1]).toBe(500);
  expect([tick('unknown')?.[1], tick({ isBusy: false, cpuTime: 8 })?.[1]]).toEqual([0, 0]);
});

test('where activity is not known, silence is the time without a message', () => {
  const { tick } = watch(false);
  expect([tick(), tick()]).toEqual([
    [500, 0],
    [1000, 0],
  ]);
});
