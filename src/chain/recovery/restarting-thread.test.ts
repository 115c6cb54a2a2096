import { expect, test } from 'bun:test';
import { createRestartingThread } from './restarting-thread.ts';

const batch = new Uint8Array([1]);

function create() {
  const threads: { isClosed: boolean; readonly pending: PromiseWithResolvers<Uint8Array>[] }[] = [];
  const log: string[] = [];
  let time = 0;
  const { recover, stop } = createRestartingThread({
    openRecoveryThread: () => {
      const thread = { isClosed: false, pending: [] as PromiseWithResolvers<Uint8Array>[] };
      threads.push(thread);
      return {
        request: () => {
          const answer = Promise.withResolvers<Uint8Array>();
          thread.pending.push(answer);
          return answer.promise;
        },
        close: () => {
          thread.isClosed = true;
        },
      };
    },
    clock: { monotonic: () => time },
    log: (line) => log.push(line),
  });
  return {
    threads,
    log,
    recover,
    stop,
    setTime: (value: number): void => {
      time = value;
    },
  };
}

test('one thread does all batches, and is opened by the first', async () => {
  const { threads, recover } = create();
  expect(threads).toHaveLength(0);
  const answers = [recover(batch), recover(batch)];
  expect(threads).toHaveLength(1);
  for (const [i, { resolve }] of (threads[0]?.pending ?? []).entries()) resolve(new Uint8Array([i]));
  expect(await Promise.all(answers)).toEqual([new Uint8Array([0]), new Uint8Array([1])]);
});

test('after a failure there is no thread for ten seconds; it is logged once', async () => {
  const { threads, log, recover, setTime } = create();
  setTime(5);
  const answers = [recover(batch), recover(batch)];
  for (const { reject } of threads[0]?.pending ?? []) reject(new Error('out of memory'));
  expect(await Promise.all(answers)).toEqual([undefined, undefined]);
  expect([threads[0]?.isClosed, log]).toEqual([
    true,
    ['the thread that recovers signers failed (Error: out of memory); the main thread does its work, restarting it in 10 s'],
  ]);
  setTime(10_004);
  expect([await recover(batch), threads.length]).toEqual([undefined, 1]);
  setTime(10_005);
  void recover(batch);
  expect(threads).toHaveLength(2);
});

test('a stopped thread is closed, and the failure of its batches is none of the next', async () => {
  const { threads, log, recover, stop } = create();
  stop();
  const first = recover(batch);
  stop();
  expect(threads[0]?.isClosed).toBe(true);
  const second = recover(batch);
  threads[0]?.pending[0]?.reject(new Error('closed'));
  expect(await first).toBeUndefined();
  threads[1]?.pending[0]?.resolve(batch);
  expect([await second, threads.length, threads[1]?.isClosed, log]).toEqual([batch, 2, false, []]);
});
