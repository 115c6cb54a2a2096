import { expect, test } from 'bun:test';
import { createBoundedWait } from './bounded-wait.ts';
import { createVirtualTiming } from './virtual-timing.fixture.ts';

class SilenceError extends Error {}

/** Another side that the test lets answer or not, and a wait for it on a virtual clock. */
function open() {
  const { timing, pass, until } = createVirtualTiming();
  const side = { isSilent: false, isAway: false, asked: 0 };
  const wait = createBoundedWait({
    ...timing,
    isAway: () => side.isAway,
    isSilence: (error): error is SilenceError => error instanceof SilenceError,
  });
  /** Asks; the answer takes 50 ms, or never comes. */
  const ask = () =>
    wait.run(() => {
      side.asked++;
      return side.isSilent ? new Promise(() => {}) : new Promise<void>((resolve) => timing.after(50, resolve));
    });
  /** Asks, and returns the outcome and how long the caller waited. */
  const measure = async (work = ask): Promise<readonly [string, number]> => {
    const began = timing.now();
    let outcome: string | undefined;
    void work().then((found) => {
      outcome = found;
    });
    await until(() => outcome !== undefined);
    return [outcome as string, timing.now() - began];
  };
  return { timing, pass, until, side, wait, ask, measure };
}

test('callers wait for a silent side a second once, and then not at all until it answers', async () => {
  const { side, measure, pass, timing } = open();
  expect(await measure()).toEqual(['answered', 50]);
  side.isSilent = true;
  expect(await measure()).toEqual(['unanswered', 1000]);
  for (let i = 0; i < 100; i++) expect(await measure()).toEqual(['unanswered', 0]);
  // An attempt now and then, for which nobody waits.
  expect(side.asked).toBe(3);
  side.isSilent = false;
  await pass(250);
  const before = timing.now();
  expect(await measure()).toEqual(['unanswered', 0]);
  expect(timing.now()).toBe(before);
  await pass(50);
  expect(await measure()).toEqual(['answered', 50]);
});

test('all who wait when it turns out to be silent are let go together', async () => {
  const { side, ask, pass } = open();
  side.isSilent = true;
  const outcomes: string[] = [];
  const note = (outcome: string) => outcomes.push(outcome);
  void ask().then(note);
  await pass(900);
  void ask().then(note);
  expect(outcomes).toEqual([]);
  await pass(100);
  expect(outcomes).toEqual(['unanswered', 'unanswered']);
});

test('one slow work is not waited for longer, and does not make the side silent while others are answered', async () => {
  const { wait, ask, pass, measure, timing } = open();
  const outcomes: string[] = [];
  let isDone = false;
  void wait
    .run(async () => {
      await new Promise<void>((resolve) => timing.after(3000, resolve));
      isDone = true;
    })
    .then((outcome) => outcomes.push(outcome));
  void ask();
  await pass(1000);
  expect([outcomes, isDone]).toEqual([['unanswered'], false]);
  expect(await measure()).toEqual(['answered', 50]);
  await pass(3000);
  expect(isDone).toBe(true);
});

test('work that has nothing to ask for does not say that the side answers', async () => {
  const { side, wait, measure, pass } = open();
  expect(await measure(() => wait.run(async () => {}))).toEqual(['answered', 0]);
  side.isSilent = true;
  await measure();
  await pass(250);
  void wait.run(async () => {});
  await pass(1);
  expect(await measure()).toEqual(['unanswered', 0]);
});

test('an error that says so is silence at once, with its reason; another error is passed on', async () => {
  const { wait, measure } = open();
  const failing = (error: Error) => () => wait.run(() => Promise.reject(error));
  expect(await measure(failing(new SilenceError('connection refused')))).toEqual(['unanswered', 0]);
  expect(wait.reason()).toBe('connection refused');
  expect(await measure()).toEqual(['unanswered', 0]);
  const fresh = open();
  expect(await fresh.wait.run(() => Promise.reject(new Error('bug'))).catch((error: Error) => error.message)).toBe('bug');
});

test('nothing is started while the side is known to be away', async () => {
  const { side, measure } = open();
  side.isAway = true;
  expect([await measure(), side.asked]).toEqual([['unanswered', 0], 0]);
});
