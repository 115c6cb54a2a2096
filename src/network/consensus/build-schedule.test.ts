import { describe, expect, test } from 'bun:test';
import type { EngineBlock } from '../../avm/vm.ts';
import type { BlockIssuer } from './block-issuer.ts';
import { createBuildSchedule } from './build-schedule.ts';
import { createTestTimers, makeBlock } from './engine.fixture.ts';

/** A schedule in which one transaction waits, there is room, and a block may be built at once. */
function openSchedule() {
  const timers = createTestTimers();
  const [first, second] = [makeBlock(undefined, 'first').id, makeBlock(undefined, 'second').id];
  const state = {
    waiting: 1,
    hasRoom: true,
    isIssued: true,
    buildTime: 0 as number | undefined,
    fails: false,
    preference: first,
    looks: 0,
    clockShift: 0,
  };
  const issued: EngineBlock[] = [];
  /** Ends the block that was issued last. */
  let endLast: Parameters<BlockIssuer['issueBuilt']>[1] = () => {};
  const rejected: string[] = [];
  const errors: unknown[] = [];
  const counters = { built: 0, builtSkew: 0, buildsFailed: 0 };
  const schedule = createBuildSchedule({
    vm: {
      build: () => {
        if (state.fails) throw new Error('cannot build');
        return makeBlock(undefined, `${issued.length}`);
      },
      nextBuildTime: () => {
        state.looks++;
        return state.buildTime;
      },
      waiting: () => state.waiting,
      reject: (id) => void rejected.push(id),
    },
    timers,
    unixMilliseconds: () => timers.now() + state.clockShift,
    preference: () => state.preference,
    hasRoom: () => state.hasRoom,
    post: (work) => work(),
    issue: (block, onEnd) => {
      issued.push(block);
      endLast = onEnd;
      return state.isIssued;
    },
    counters,
    onError: (error) => void errors.push(error),
  });
  return { schedule, timers, state, second, issued, rejected, errors, counters, end: (end: Parameters<typeof endLast>[0]) => endLast(end) };
}

describe('a block', () => {
  test('is built when transactions wait and few enough blocks are processing, one at a time', () => {
    const { schedule, state, issued, end } = openSchedule();
    state.waiting = 0;
    schedule.wake();
    Object.assign(state, { waiting: 1, hasRoom: false });
    schedule.wake();
    expect(issued).toHaveLength(0);
    state.hasRoom = true;
    schedule.wake();
    schedule.wake();
    expect(issued).toHaveLength(1);
    end('issued');
    schedule.wake();
    expect(issued).toHaveLength(2);
  });

  test('is built at the time that the chain names, which is asked for again after 10 seconds', () => {
    const { schedule, timers, state, issued, end } = openSchedule();
    state.buildTime = timers.now() + 15_000;
    schedule.wake();
    timers.advance(14_999);
    expect(issued).toHaveLength(0);
    timers.advance(1);
    expect(issued).toHaveLength(1);
    end('issued');
    // The system clock was an hour behind, and is set meanwhile.
    state.buildTime = timers.now();
    state.clockShift = -3_600_000;
    schedule.wake();
    state.clockShift = 0;
    timers.advance(10_000);
    expect(issued).toHaveLength(2);
    end('issued');
    state.buildTime = undefined;
    schedule.wake();
    expect(issued).toHaveLength(2);
  });

  test('waits for the time that was named until another block is preferred', () => {
    const { schedule, timers, state, second, issued } = openSchedule();
    state.buildTime = timers.now() + 2_000;
    for (let i = 0; i < 3; i++) schedule.wake();
    expect(state.looks).toBe(1);
    Object.assign(state, { preference: second, buildTime: timers.now() + 1_000 });
    for (let i = 0; i < 3; i++) schedule.wake();
    expect(state.looks).toBe(2);
    timers.advance(1_000);
    expect(issued).toHaveLength(1);
  });

  test('is not built by a schedule that has stopped', () => {
    const { schedule, timers, state, issued } = openSchedule();
    state.buildTime = timers.now() + 1_000;
    schedule.wake();
    schedule.stop();
    timers.advance(2_000);
    schedule.wake();
    expect(issued).toHaveLength(0);
  });

  test('that cannot be issued, or is dropped, is rejected, and the next one is built', () => {
    const { schedule, state, issued, rejected, counters, end } = openSchedule();
    state.isIssued = false;
    schedule.wake();
    state.isIssued = true;
    schedule.wake();
    const [first] = issued as [EngineBlock];
    expect(rejected).toEqual([first.id]);
    end('refused');
    expect(rejected).toEqual([first.id]);
    schedule.wake();
    end('dropped');
    expect(rejected).toEqual([first.id, issued[2]?.id as string]);
    expect(counters).toMatchObject({ built: 3, buildsFailed: 2 });
  });

  test('that cannot be built is counted and reported, and built when something wakes the schedule again', () => {
    const { schedule, state, issued, errors, counters } = openSchedule();
    state.fails = true;
    schedule.wake();
    expect([counters.buildsFailed, errors.length]).toEqual([1, 1]);
    state.fails = false;
    schedule.wake();
    expect(issued).toHaveLength(1);
  });
});
