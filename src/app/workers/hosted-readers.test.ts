import { expect, test } from 'bun:test';
import { pingInterval } from './heartbeat.ts';
import { connectToSupervisor } from './hosted-readers.ts';

test('each step of long work tells the supervisor that the writer is alive, at most every half second', () => {
  const sent: unknown[] = [];
  const shown: unknown[] = [];
  let now = 0;
  const channel = { send: (message: unknown) => void sent.push(message), onMessage: () => {}, onClose: () => {} };
  const output = { clock: { monotonic: () => now }, showProgress: (progress: unknown) => void shown.push(progress) };
  const { showProgress } = connectToSupervisor(channel, { restarts: 1 }, () => {}, output);
  for (; now < 5000; now += 10) showProgress('half');
  expect(sent).toEqual(Array.from({ length: 5000 / pingInterval }, () => ({ writer: 'pong' })));
  now += 5000;
  showProgress(undefined);
  expect([sent.length, shown.length, shown.at(-1)]).toEqual([10, 501, undefined]);
});
