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
      await Promise.resolve();
      await Promise.resolve();
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

test('of several pieces of long work one resumes per turn of the event loop, first come first served', async () => {
  const { timers, pass, turn } = createManualTimers();
  const work = createLongWork(timers);
  const pauses = [work.begin(), work.begin(), work.begin()];
  pass(10);
  const resumed: number[] = [];
  for (const [i, pause] of pauses.entries()) void pause()?.then(() => resumed.push(i));
  for (const expected of [[0], [0, 1], [0, 1, 2]]) {
    await turn();
    expect(resumed).toEqual(expected);
  }
});
