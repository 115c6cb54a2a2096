import { expect, test } from 'bun:test';
import { createVirtualClock, settle } from '../../base/timing/virtual-timing.fixture.ts';
import { createStop } from './stop.ts';

function create(shutdownWait: number) {
  const clock = createVirtualClock(0);
  const steps: string[] = [];
  const env = { timers: clock, exit: (code: number) => steps.push(`exit ${code}`) };
  const parts = { close: async () => void steps.push(`closed at ${clock.now()}`) };
  const stop = createStop({ http: { shutdownWait } } as never, env as never, parts as never, () => steps.push('announced'));
  return { ...stop, clock, steps };
}

test('a stop is announced, waits, and closes once, however often it is asked for', async () => {
  const { close, isStopping, clock, steps } = create(50);
  expect(isStopping()).toBe(false);
  const first = close();
  expect([isStopping(), close() === first, steps]).toEqual([true, true, ['announced']]);
  await settle();
  clock.advance(49);
  await settle();
  expect(steps).toEqual(['announced']);
  clock.advance(1);
  await first;
  expect(steps).toEqual(['announced', 'closed at 50']);
});

test('without a wait it closes at once', async () => {
  const { close, clock, steps } = create(0);
  await close();
  expect([steps, clock.nextTime()]).toEqual([['announced', 'closed at 0'], undefined]);
});

test('after a failure the process ends with code 1 when all is closed', async () => {
  const { stopAfterFailure, isStopping, steps } = create(0);
  stopAfterFailure();
  expect([isStopping(), steps]).toEqual([true, ['announced', 'closed at 0']]);
  await settle();
  expect(steps).toEqual(['announced', 'closed at 0', 'exit 1']);
});
