import type { ProcessUsage } from '../../app/platform/process-usage.ts';
import { every } from '../../base/timing/timers.ts';
import type { NodeUsage } from './node-status.ts';

/** Milliseconds between two readings. */
const sampleInterval = 1000;

/** Reads again and again what processes use. CPU is that since the reading before, so the first reading has none. */
export function createUsageSampler(
  listPids: () => readonly number[],
  read: (pids: readonly number[]) => Promise<ReadonlyMap<number, ProcessUsage>>,
  { timers, now }: { readonly timers: { readonly after: (ms: number, run: () => void) => () => void }; readonly now: () => number },
) {
  let [usages, before, beforeAt]: [ReadonlyMap<number, NodeUsage>, ReadonlyMap<number, ProcessUsage>, number] = [
    new Map(),
    new Map(),
    now(),
  ];
  const sample = async (): Promise<void> => {
    const found = await read(listPids());
    const at = now();
    const seconds = (at - beforeAt) / 1000;
    usages = new Map(
      [...found].map(([pid, { cpuSeconds, residentBytes }]) => {
        const used = cpuSeconds - (before.get(pid)?.cpuSeconds ?? cpuSeconds);
        return [pid, { cpuPercent: seconds > 0 ? (100 * used) / seconds : 0, residentBytes }];
      }),
    );
    [before, beforeAt] = [found, at];
  };
  return {
    usageOf: (pid: number | undefined): NodeUsage | undefined => (pid === undefined ? undefined : usages.get(pid)),
    stop: every(timers, sampleInterval, () => void sample()),
  };
}
