import { readFileSync } from 'node:fs';

/** The memory of a process and all its descendants, in megabytes. */
type Memory = { readonly processes: number; readonly megabytes: number };

/**
 * The anonymous memory of all processes of the tree, plus the largest file mapping, counted once since all run the same program. For a single
 * process this is its RSS. (PSS is not used: it shrinks when an unrelated process runs the same program.)
 * Returns undefined where there is no /proc.
 */
export function readMemory(pid: number): Memory | undefined {
  const all = listProcessTree(pid).flatMap((one) => {
    const text = read(`/proc/${one}/smaps_rollup`);
    return text === undefined ? [] : [{ own: readKilobytes(text, 'Anonymous'), all: readKilobytes(text, 'Rss') }];
  });
  if (all.length === 0) return undefined;
  const own = all.reduce((sum, one) => sum + one.own, 0);
  const mapped = Math.max(...all.map((one) => one.all - one.own));
  return { processes: all.length, megabytes: (own + mapped) / 1024 };
}

/**
 * The highest memory of a process so far, in megabytes. Not `maxRSS` of a process that has ended: Linux counts that from before the program was
 * loaded, so it is at least the memory of the process that started it. Returns undefined where there is no /proc, and after the end.
 */
export function readHighestMemory(pid: number): number | undefined {
  const text = read(`/proc/${pid}/status`);
  return text?.includes('VmHWM:') ? readKilobytes(text, 'VmHWM') / 1024 : undefined;
}

/** The CPU time that a process and its descendants have used so far, in seconds. Returns undefined where there is no /proc. */
export function readCpuSeconds(pid: number): number | undefined {
  const all = listProcessTree(pid).flatMap((one) => {
    // The second field is the name, which may contain spaces; fields 14 and 15 are user and system time in hundredths of a second.
    const fields = read(`/proc/${one}/stat`)
      ?.replace(/^.*\) /s, '')
      .split(' ');
    return fields === undefined ? [] : [Number(fields[11]) + Number(fields[12])];
  });
  return all.length === 0 ? undefined : all.reduce((a, b) => a + b, 0) / 100;
}

/** The CPU usage of the whole machine over a period, from 0 (idle) to 1. Returns undefined where there is no /proc. */
export async function measureMachineLoad(watchMs: number): Promise<number | undefined> {
  const before = readMachineTimes();
  await Bun.sleep(watchMs);
  const after = readMachineTimes();
  if (before === undefined || after === undefined) return undefined;
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

function readMachineTimes(): { idle: number; all: number } | undefined {
  const times = /^cpu +(.*)$/m
    .exec(read('/proc/stat') ?? '')?.[1]
    ?.split(' ')
    .map(Number);
  return times && { idle: (times[3] ?? 0) + (times[4] ?? 0), all: times.slice(0, 8).reduce((a, b) => a + b, 0) };
}

/** The process and its descendants. */
export function listProcessTree(pid: number): number[] {
  const children = read(`/proc/${pid}/task/${pid}/children`)?.trim() ?? '';
  return [pid, ...(children === '' ? [] : children.split(' ')).flatMap((child) => listProcessTree(Number(child)))];
}

const readKilobytes = (text: string, field: string): number => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
