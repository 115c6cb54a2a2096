import { expect, test } from 'bun:test';
import { readThreadTimes, threadTimesBetween } from './thread-usage.ts';
import { formatThreads } from './threads.ts';

test.if(process.platform === 'linux')('work of the main thread is counted there, and of a worker under its own name', async () => {
  const before = readThreadTimes(process.pid);
  const until = performance.now() + 30;
  let work = 0;
  while (performance.now() < until) work++;
  const used = threadTimesBetween(before, readThreadTimes(process.pid));
  expect(work).toBeGreaterThan(0);
  expect(used.get('writer, main thread') ?? 0).toBeGreaterThan(0);
});

test('the table has the medians of the rounds, without threads that did nothing', () => {
  const round = (main: number, all: number) =>
    new Map([
      ['writer, main thread', main],
      ['writer, idle', 0.1],
      ['all processes', all],
    ]);
  const table = formatThreads([
    { name: '--workers auto', rounds: [round(10, 30), round(12, 50), round(99, 40)] },
    { name: '--workers 0', rounds: [round(7, 20)] },
  ]);
  expect(table.split('\n').map((line) => line.split(/ {2,}/).filter(Boolean))).toEqual([
    ['µs of CPU time per transaction', '--workers auto', '--workers 0'],
    ['all processes', '40', '20'],
    ['writer, main thread', '12', '7'],
  ]);
});
