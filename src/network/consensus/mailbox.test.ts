import { expect, test } from 'bun:test';
import { createMailbox } from './mailbox.ts';

/** A mailbox whose clock advances when work says so. `later`: what runs after other tasks of the process. */
function open() {
  const later: (() => void)[] = [];
  const [log, errors]: [string[], unknown[]] = [[], []];
  let now = 0;
  const timers = { now: () => now, after: (_: number, run: () => void) => later.push(run) };
  const mailbox = createMailbox(timers as never, (error) => errors.push(error));
  const work =
    (name: string, milliseconds = 0) =>
    (): void => {
      log.push(name);
      now += milliseconds;
    };
  return { mailbox, log, errors, later, work };
}

test('work runs at once, and what it adds after it', () => {
  const { mailbox, log, work } = open();
  mailbox.post(() => {
    mailbox.post(work('inner'));
    log.push(`outer, idle ${mailbox.isIdle()}, ${mailbox.size()} waits`);
  });
  expect(log).toEqual(['outer, idle false, 1 waits', 'inner']);
  expect([mailbox.isIdle(), mailbox.size()]).toEqual([true, 0]);
});

test('work of the last queue waits for all other work', () => {
  const { mailbox, log, work } = open();
  mailbox.post(() => {
    mailbox.postLast(work('last'));
    mailbox.post(work('first'));
    mailbox.post(work('second'));
  });
  expect(log).toEqual(['first', 'second', 'last']);
});

test('after 10 ms of work other tasks of the process run first', () => {
  const { mailbox, log, later, work } = open();
  mailbox.post(() => {
    for (const name of ['a', 'b', 'c', 'd']) mailbox.post(work(name, 6));
  });
  expect(log).toEqual(['a', 'b']);
  expect([mailbox.isIdle(), mailbox.size(), later.length]).toEqual([false, 2, 1]);
  mailbox.post(work('e'));
  expect(log).toEqual(['a', 'b']);
  later.shift()?.();
  expect(log).toEqual(['a', 'b', 'c', 'd']);
  later.shift()?.();
  expect([log.at(-1), mailbox.isIdle()]).toEqual(['e', true]);
});

test('asynchronous work is waited for', async () => {
  const { mailbox, log, work } = open();
  const { promise, resolve } = Promise.withResolvers<void>();
  mailbox.post(() => promise);
  mailbox.post(work('next'));
  await new Promise((settled) => setImmediate(settled));
  expect([log, mailbox.isIdle()]).toEqual([[], false]);
  resolve();
  await new Promise((settled) => setImmediate(settled));
  expect([log, mailbox.isIdle()]).toEqual([['next'], true]);
});

test('an error is told once, and nothing runs after it', async () => {
  const error = new Error('broken');
  const thrown = open();
  thrown.mailbox.post(() => {
    thrown.mailbox.post(thrown.work('next'));
    throw error;
  });
  thrown.mailbox.post(thrown.work('later'));
  expect([thrown.errors, thrown.log, thrown.mailbox.size()]).toEqual([[error], [], 0]);
  const rejected = open();
  rejected.mailbox.post(() => Promise.reject(error));
  rejected.mailbox.post(rejected.work('next'));
  await new Promise((settled) => setImmediate(settled));
  expect([rejected.errors, rejected.log]).toEqual([[error], []]);
});

test('a closed mailbox drops what waits, and tells no error', async () => {
  const { mailbox, log, errors, work } = open();
  const { promise, reject } = Promise.withResolvers<void>();
  mailbox.post(() => promise);
  mailbox.post(work('waits'));
  mailbox.postLast(work('waits too'));
  mailbox.close();
  mailbox.post(work('later'));
  reject(new Error('late'));
  await new Promise((settled) => setImmediate(settled));
  expect([log, errors, mailbox.size()]).toEqual([[], [], 0]);
});
