import { expect, test } from 'bun:test';
import { createLongWork } from './long-work.ts';

/** A clock and an event loop that move by hand. */
function byHand() {
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

test('work pauses when its time is up, and goes on in the next turn', async () => {
  const { timers, pass, turn } = byHand();
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

test('however many are under way, one of them has a turn, in the order they came', async () => {
  const { timers, pass, turn } = byHand();
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
