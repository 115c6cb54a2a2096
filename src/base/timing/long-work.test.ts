import { expect, test } from 'bun:test';
import { createLongWork } from './long-work.ts';

/** A clock and an event loop that the test advances. */
function createManualTimers() {
  let time = 0;
  const soon: (() => void)[] = [];
  return {
    timers: { now: () => time, soon: (run: () => void) => void soon.push(run) },
    pass: (ms: number) => {
      time += ms;
    },
    turn: async () => {
      for (const run of soon.splice(0)) run();
      await Bun.sleep(0);
    },
  };
}

test('long work pauses after its time slice and resumes in the next turn of the event loop', async () => {
  const { timers, pass, turn } = createManualTimers();
  const pause = createLongWork(timers).begin();
  pass(7);
  expect(pause()).toBeUndefined();
  pass(1);
  let resumed = false;
  void pause()?.then(() => {
    resumed = true;
  });
  expect(resumed).toBe(false);
  await turn();
  expect(resumed).toBe(true);
  expect(pause()).toBeUndefined();
});

/** Starts pieces of long work that need some steps of a millisecond each. Returns the numbers of those that have ended. */
function startWork(count: number, steps: number, { timers, pass }: ReturnType<typeof createManualTimers>): number[] {
  const work = createLongWork(timers);
  const ended: number[] = [];
  const run = async (i: number): Promise<void> => {
    const pause = work.begin();
    for (let step = 0; step < steps; step++) {
      const resumed = pause();
      if (resumed !== undefined) await resumed;
      pass(1);
    }
    ended.push(i);
  };
  for (let i = 0; i < count; i++) void run(i);
  return ended;
}

test('of several pieces of long work one resumes per turn of the event loop, first come first served', async () => {
  const manual = createManualTimers();
  const ended = startWork(3, 16, manual);
  for (const expected of [[], [0], [0, 1], [0, 1, 2]]) {
    expect(ended).toEqual(expected);
    await manual.turn();
  }
});

test('where the rest of a turn takes long, long work gets half as much time, up to 100 ms', async () => {
  const turnsOf = async (others: number): Promise<number> => {
    const manual = createManualTimers();
    const ended = startWork(60, 40, manual);
    for (let turns = 0; ; turns++) {
      if (ended.length === 60) return turns;
      manual.pass(others);
      await manual.turn();
    }
  };
  // After their first slices, which count as the rest of the first turn, 60 pieces need four more each: 240 slices. 8 ms hold one, 50 ms seven, of
  // which the last ends later, and 100 ms thirteen.
  expect([await turnsOf(0), await turnsOf(100), await turnsOf(1000)]).toEqual([1 + 227, 1 + 33, 19]);
});
