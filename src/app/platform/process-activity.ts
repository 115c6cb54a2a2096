import { readFileSync } from 'node:fs';
import { attempt } from '../../base/fault.ts';
import type { ProcessActivity } from './node-processes.ts';

/** What the main thread of a process does; undefined where the system does not say it: only Linux does. */
export function readActivity(pid: number): ProcessActivity | undefined {
  const times = attempt(() => readFileSync(`/proc/${pid}/schedstat`, 'utf8'));
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  if (times === undefined || stat === undefined) return undefined;
  const [cpuNanos, waitNanos] = times.split(' ');
  // The state follows the name, which is in parentheses and may contain anything.
  const state = stat.charAt(stat.lastIndexOf(')') + 2);
  return { cpuTime: Number(cpuNanos) / 1e6, cpuWait: Number(waitNanos) / 1e6, isBusy: !stillStates.includes(state) };
}

/** S: waits for something other than a disk. T: was stopped. In others a process runs, waits for a CPU or a disk, or is debugged; see proc_pid_stat(5). */
const stillStates = 'ST';
