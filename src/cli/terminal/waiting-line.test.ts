import { expect, test } from 'bun:test';
import { createDeferred } from '../../base/timing/promise.ts';
import { createWaitingLine } from './waiting-line.ts';

/** A waiting line with timers that run when they are told to. */
function setUp({ isTTY = true, columns = 80 } = {}) {
  const timers: { readonly at: number; readonly run: () => void }[] = [];
  let now = 0;
  let text = '';
  const after = (ms: number, run: () => void) => {
    const timer = { at: now + ms, run };
    timers.push(timer);
    return () => void (timers.includes(timer) && timers.splice(timers.indexOf(timer), 1));
  };
  const write = (more: string): void => {
    text += more;
  };
  return {
    wait: createWaitingLine({ isTTY, columns, write }, after),
    /** Lets time pass. */
    advance: (ms: number): void => {
      for (const end = now + ms; ; ) {
        const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        now = next?.at ?? end;
        if (next === undefined) return;
        timers.splice(timers.indexOf(next), 1);
        next.run();
      }
    },
    shown: (): string => text.replaceAll('\r\x1b[K', '|'),
    timers: (): number => timers.length,
  };
}

test('a wait is shown after 300 ms with its seconds, and erased when it ends', async () => {
  const { wait, advance, shown, timers } = setUp();
  const work = createDeferred();
  const waited = wait(
    'waiting for a block',
    work.promise.then(() => 'accepted'),
  );
  advance(299);
  expect(shown()).toBe('');
  advance(1);
  expect(shown()).toBe('|waiting for a block …');
  advance(2000);
  expect(shown()).toEndWith('|waiting for a block … 1 s|waiting for a block … 2 s');
  work.resolve();
  expect(await waited).toBe('accepted');
  expect([shown().endsWith('2 s|'), timers()]).toEqual([true, 0]);
});

test('work that is done soon shows nothing; work that fails erases the line', async () => {
  const { wait, advance, shown, timers } = setUp();
  expect(await wait('waiting', Promise.resolve(5))).toBe(5);
  advance(1000);
  expect([shown(), timers()]).toEqual(['', 0]);
  const work = createDeferred();
  const waited = wait('waiting', work.promise);
  advance(300);
  work.reject(new Error('refused'));
  expect(await waited.catch(({ message }: Error) => message)).toBe('refused');
  expect(shown()).toBe('|waiting …|');
});

test('nothing is shown elsewhere than on a terminal; a narrow one gets a shorter line', async () => {
  const file = setUp({ isTTY: false });
  const work = createDeferred();
  const waited = file.wait('waiting', work.promise);
  file.advance(5000);
  work.resolve();
  await waited;
  expect(file.shown()).toBe('');
  const narrow = setUp({ columns: 10 });
  void narrow.wait('waiting for a block', new Promise(() => {}));
  narrow.advance(300);
  expect(narrow.shown()).toBe('|waiting f');
});
