import { readFileSync } from 'node:fs';

/**
 * Milliseconds so far in which the main thread of a process could have run but had no CPU: other processes had it, or the quota of its container
 * was used up. 0 where the system does not say it: only Linux does.
 */
export function readCpuWait(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1] ?? 0) / 1e6;
  } catch {
    return 0;
  }
}
