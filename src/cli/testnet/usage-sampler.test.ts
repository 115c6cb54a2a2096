import { expect, test } from 'bun:test';
import type { ProcessUsage } from '../../app/platform/process-usage.ts';
import { createVirtualClock, settle } from '../../base/timing/virtual-timing.fixture.ts';
import { createUsageSampler } from './usage-sampler.ts';

test('each second shows the CPU since the second before, and the memory; processes come and go', async () => {
  const clock = createVirtualClock(0);
  const found: [number, ProcessUsage][][] = [
    [[7, { cpuSeconds: 3, residentBytes: 10 }]],
    [
      [7, { cpuSeconds: 3.25, residentBytes: 20 }],
      [8, { cpuSeconds: 9, residentBytes: 30 }],
    ],
    [[8, { cpuSeconds: 11, residentBytes: 40 }]],
  ];
  const asked: (readonly number[])[] = [];
  const read = async (pids: readonly number[]) => {
    asked.push(pids);
    return new Map(found.shift());
  };
  const sampler = createUsageSampler(() => [7, 8], read, { timers: clock, now: clock.now });
  const usages = async (milliseconds: number) => {
    clock.advance(milliseconds);
    await settle();
    return [sampler.usageOf(7), sampler.usageOf(8)];
  };
  expect(await usages(999)).toEqual([undefined, undefined]);
  expect(asked).toEqual([]);
  expect(await usages(1)).toEqual([{ cpuPercent: 0, residentBytes: 10 }, undefined]);
  expect(await usages(1000)).toEqual([
    { cpuPercent: 25, residentBytes: 20 },
    { cpuPercent: 0, residentBytes: 30 },
  ]);
  expect(await usages(1000)).toEqual([undefined, { cpuPercent: 200, residentBytes: 40 }]);
  expect(sampler.usageOf(undefined)).toBeUndefined();
  expect(asked).toEqual([
    [7, 8],
    [7, 8],
    [7, 8],
  ]);
  sampler.stop();
  await usages(5000);
  expect(asked).toHaveLength(3);
});

test('two readings at one time tell nothing of the CPU', async () => {
  const clock = createVirtualClock(0);
  let cpuSeconds = 0;
  const read = async () => new Map([[7, { cpuSeconds: ++cpuSeconds, residentBytes: 1 }]]);
  const sampler = createUsageSampler(() => [7], read, { timers: clock, now: () => 5 });
  clock.advance(2000);
  await settle();
  expect([cpuSeconds, sampler.usageOf(7)]).toEqual([2, { cpuPercent: 0, residentBytes: 1 }]);
});
