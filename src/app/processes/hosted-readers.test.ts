import { expect, test } from 'bun:test';
import { pingInterval } from './heartbeat.ts';
import { connectToSupervisor } from './hosted-readers.ts';
import type { MessageToWriter } from './writer-messages.ts';

test('each step of long work tells the supervisor that the writer is alive, at most every half second', () => {
  const sent: unknown[] = [];
  const shown: unknown[] = [];
  let now = 0;
  const channel = { send: (message: unknown) => void sent.push(message), onMessage: () => {}, onClose: () => {} };
  const own = {
    clock: { monotonic: () => now },
    showProgress: (progress: unknown) => void shown.push(progress),
    readActivity: () => undefined,
  };
  const { showProgress } = connectToSupervisor(channel, { restarts: 1 }, () => {}, own);
  for (; now < 5000; now += 10) showProgress('half');
  expect(sent).toEqual(Array.from({ length: 5000 / pingInterval }, () => ({ writer: 'pong' })));
  now += 5000;
  showProgress(undefined);
  expect([sent.length, shown.length, shown.at(-1)]).toEqual([10, 501, undefined]);
});

test('the writer looks at a reader of the supervisor by its process ID', () => {
  let receive = (_: MessageToWriter): void => {};
  const channel = {
    send: () => {},
    onMessage: (listener: (message: unknown) => void) => {
      receive = listener;
    },
    onClose: () => {},
  };
  const readActivity = (pid: number) => ({ cpuTime: pid, cpuWait: 0, isBusy: false });
  const own = { clock: { monotonic: () => 0 }, showProgress: () => {}, readActivity };
  const { spawnReader } = connectToSupervisor(channel, { restarts: 0 }, () => {}, own);
  const reader = spawnReader();
  expect(reader.activity?.()).toBeUndefined();
  receive({ writer: 'readerTaken', reader: 1, pid: 77 });
  expect(reader.activity?.()?.cpuTime).toBe(77);
});
