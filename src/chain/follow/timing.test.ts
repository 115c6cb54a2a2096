import { expect, test } from 'bun:test';
import { createVirtualClock } from '../../base/timing/virtual-timing.fixture.ts';
import { abortableSleep } from './timing.ts';

test('a pause ends after its time, or at once when it is stopped, and leaves no timer', async () => {
  const clock = createVirtualClock(0);
  const slept = abortableSleep(clock, 100, new AbortController().signal);
  clock.advance(100);
  expect(await slept).toBeUndefined();

  const stop = new AbortController();
  const stopped = abortableSleep(clock, 100, stop.signal);
  expect(clock.nextTime()).toBe(200);
  stop.abort();
  expect(clock.nextTime()).toBeUndefined();
  await expect(Promise.race([stopped, Promise.resolve('still waits')])).rejects.toMatchObject({ code: 'FOLLOW_STOPPED' });
  await expect(abortableSleep(clock, 100, stop.signal)).rejects.toMatchObject({ code: 'FOLLOW_STOPPED' });
});
