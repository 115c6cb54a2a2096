import { expect, test } from 'bun:test';
import { createVirtualClock } from '../../base/timing/virtual-timing.fixture.ts';
import { backoffLimits, createFetchPause } from './fetch-pause.ts';

/** Without jitter: `random` of 1 gives the whole pause. */
function open() {
  const clock = createVirtualClock(0);
  const ends: number[] = [];
  const pause = createFetchPause({ ...clock, random: () => 1 } as never, () => ends.push(clock.now()));
  return { clock, ends, pause };
}

test('a pause doubles with every failure up to two seconds, and is short again after an answer', () => {
  const { clock, ends, pause } = open();
  let expected = 0;
  for (const milliseconds of [50, 100, 200, 400, 800, 1600, 2000, 2000]) {
    pause.begin();
    expect(pause.isOn()).toBe(true);
    clock.advance(10_000);
    expect(ends.pop()).toBe(expected + milliseconds);
    expect(pause.isOn()).toBe(false);
    expected = clock.now();
  }
  pause.reset();
  pause.begin();
  expect(clock.nextTime()).toBe(expected + backoffLimits.first);
});

test('failures of requests during a pause do not make it longer', () => {
  const { clock, ends, pause } = open();
  for (let i = 0; i < 16; i++) pause.begin();
  clock.advance(10_000);
  expect(ends).toEqual([50]);
});

test('a cancelled pause has no end', () => {
  const { clock, ends, pause } = open();
  pause.cancel();
  pause.begin();
  pause.cancel();
  clock.advance(10_000);
  expect(ends).toEqual([]);
});
