import { readdirSync, readFileSync } from 'node:fs';
import { listProcessTree } from './process-usage.ts';

/** CPU time in microseconds by the name of a process and thread, such as `writer, main thread`. */
type ThreadTimes = ReadonlyMap<string, number>;

/** Reads the CPU time of all threads of a node so far. Threads that have ended are not in it. Only on Linux. */
export function readThreadTimes(pid: number): ThreadTimes {
  const times = new Map<string, number>();
  const add = (name: string, micros: number): void => void times.set(name, (times.get(name) ?? 0) + micros);
  for (const [i, process] of listProcessTree(pid).entries())
    for (const thread of readdirSync(`/proc/${process}/task`)) {
      const usage = readThread(`/proc/${process}/task/${thread}`);
      if (usage === undefined) continue;
      const name = `${i === 0 ? 'writer' : 'readers'}, ${thread === String(process) ? 'main thread' : threadName(usage.name)}`;
      add(name, usage.micros);
      if (thread === String(process)) add(`${name}, of that the kernel`, usage.kernelMicros);
    }
  return times;
}

/** The difference of two readings. A thread that ended in between is left out. */
export const threadTimesBetween = (before: ThreadTimes, after: ThreadTimes): Map<string, number> =>
  new Map([...after].map(([name, micros]) => [name, Math.max(0, micros - (before.get(name) ?? 0))]));

/** What Bun's threads are for; threads of a pool have numbers. */
const purposes: Readonly<Record<string, string>> = {
  Worker: 'recovery thread',
  JITWorker: 'compiler',
  HeapHelper: 'garbage collector',
  'mi-scavenger': 'allocator',
};

function threadName(name: string): string {
  const kind = name.replace(/[ #-]*\d+$/, '');
  return purposes[kind] ?? kind;
}

function readThread(folder: string): { name: string; micros: number; kernelMicros: number } | undefined {
  try {
    const stat = readFileSync(`${folder}/stat`, 'utf8');
    const name = /\((.*)\)/s.exec(stat)?.[1] ?? '';
    // Field 15 is the time in the kernel, in hundredths of a second; the whole time is in nanoseconds.
    const kernelMicros = Number(stat.replace(/^.*\) /s, '').split(' ')[12]) * 10_000;
    return { name, micros: Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]) / 1000, kernelMicros };
  } catch {
    return undefined;
  }
}
