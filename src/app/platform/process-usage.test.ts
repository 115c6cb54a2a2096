import { expect, test } from 'bun:test';
import { parseProcFiles, parsePs, readProcessUsage } from './process-usage.ts';

test('what /proc says: the name may contain anything, CPU time is in hundredths of a second', () => {
  const stat = '42 (a) b (c) S 1 42 42 0 -1 4194560 1 0 0 0 250 75 0 0 20 0 9 0 100 1 2 3';
  expect(parseProcFiles(stat, 'Name:\ta\nVmRSS:\t    2048 kB\nThreads:\t9\n')).toEqual({ cpuSeconds: 3.25, residentBytes: 2_097_152 });
});

test('what ps prints: minutes and hundredths on macOS, hours on Linux, days', () => {
  expect([...parsePs('   7   1024   1:02.50\n  8 10 00:00:03\n 9 5 2-01:00:00\n\nnonsense\n')]).toEqual([
    [7, { cpuSeconds: 62.5, residentBytes: 1_048_576 }],
    [8, { cpuSeconds: 3, residentBytes: 10_240 }],
    [9, { cpuSeconds: 2 * 86_400 + 3600, residentBytes: 5120 }],
  ]);
});

test.skipIf(process.platform === 'win32')('this process uses memory and CPU time; one that does not run has no row', async () => {
  const found = await readProcessUsage([process.pid, 2 ** 22 + 1]);
  expect([...found.keys()]).toEqual([process.pid]);
  expect(found.get(process.pid)?.residentBytes).toBeGreaterThan(10_000_000);
  expect(found.get(process.pid)?.cpuSeconds).toBeGreaterThan(0);
});
