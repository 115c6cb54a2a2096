import { readFileSync } from 'node:fs';

/** Memory of a process with all its children, in megabytes. */
export type Memory = { readonly processes: number; readonly megabytes: number };

/**
 * What the processes hold for themselves, and once what they have mapped from files, as that is the same program for all of them.
 * For a single process that is its RSS. (PSS would do it too, but shrinks when a stranger runs the same program.)
 * Undefined where there is no /proc.
 */
export function memoryOf(pid: number): Memory | undefined {
  const all = familyOf(pid).flatMap((one) => {
    const text = read(`/proc/${one}/smaps_rollup`);
    return text === undefined ? [] : [{ own: kilobytes(text, 'Anonymous'), all: kilobytes(text, 'Rss') }];
  });
  if (all.length === 0) return undefined;
  const own = all.reduce((sum, one) => sum + one.own, 0);
  const mapped = Math.max(...all.map((one) => one.all - one.own));
  return { processes: all.length, megabytes: (own + mapped) / 1024 };
}

/** Processor time that a process and its children have used so far, in seconds. Undefined where there is no /proc. */
export function cpuOf(pid: number): number | undefined {
  const all = familyOf(pid).flatMap((one) => {
    // The name comes second and may hold blanks; user and system time are the 14th and 15th field, in hundredths of a second.
    const fields = read(`/proc/${one}/stat`)
      ?.replace(/^.*\) /s, '')
      .split(' ');
    return fields === undefined ? [] : [Number(fields[11]) + Number(fields[12])];
  });
  return all.length === 0 ? undefined : all.reduce((a, b) => a + b, 0) / 100;
}

/** How much of the machine is in use, watched for a while: 0 is idle, 1 is all of it. */
export async function machineInUse(watchMs: number): Promise<number | undefined> {
  const before = machineTimes();
  await Bun.sleep(watchMs);
  const after = machineTimes();
  if (before === undefined || after === undefined) return undefined;
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

function machineTimes(): { idle: number; all: number } | undefined {
  const times = /^cpu +(.*)$/m
    .exec(read('/proc/stat') ?? '')?.[1]
    ?.split(' ')
    .map(Number);
  return times && { idle: (times[3] ?? 0) + (times[4] ?? 0), all: times.slice(0, 8).reduce((a, b) => a + b, 0) };
}

function familyOf(pid: number): number[] {
  const children = read(`/proc/${pid}/task/${pid}/children`)?.trim() ?? '';
  return [pid, ...(children === '' ? [] : children.split(' ')).flatMap((child) => familyOf(Number(child)))];
}

const kilobytes = (text: string, field: string): number => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
