import { readFile } from 'node:fs/promises';
import { childProcess } from '../../base/bytes/runtime-modules.ts';

/** What a process has used. */
export type ProcessUsage = { readonly cpuSeconds: number; readonly residentBytes: number };

/** What processes have used so far, by process ID: of Linux from its files, elsewhere from `ps`; nothing on Windows, which has neither. */
export async function readProcessUsage(pids: readonly number[]): Promise<ReadonlyMap<number, ProcessUsage>> {
  if (pids.length === 0 || process.platform === 'win32') return new Map();
  if (process.platform !== 'linux') return parsePs(await runPs(pids));
  const found = await Promise.all(
    pids.map(async (pid) => {
      try {
        const [stat, status] = await Promise.all([readFile(`/proc/${pid}/stat`, 'utf8'), readFile(`/proc/${pid}/status`, 'utf8')]);
        return [[pid, parseProcFiles(stat, status)] as const];
      } catch {
        // It has ended.
        return [];
      }
    }),
  );
  return new Map(found.flat());
}

/** Clock ticks per second in /proc, the same on every Linux. */
const ticks = 100;

/** The second field of `stat` is the name, which may contain spaces; fields 14 and 15 are the ticks of the process and of the system for it. */
export function parseProcFiles(stat: string, status: string): ProcessUsage {
  const fields = stat.replace(/^.*\) /s, '').split(' ');
  const resident = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0;
  return { cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticks, residentBytes: Number(resident) * 1024 };
}

const psTimeout = 2000;

const runPs = (pids: readonly number[]): Promise<string> =>
  new Promise((resolve) => {
    // It exits with 1 if one of the processes has ended, and prints the others.
    childProcess().execFile('ps', ['-o', 'pid=,rss=,time=', '-p', pids.join()], { timeout: psTimeout }, (_, out) => resolve(`${out}`));
  });

/** Lines of process ID, kilobytes and CPU time as `[[DD-]HH:]MM:SS[.hh]`. */
export function parsePs(text: string): ReadonlyMap<number, ProcessUsage> {
  const rows = text.split('\n').flatMap((line) => {
    const [, pid, kilobytes, days = 0, time] = /^\s*(\d+)\s+(\d+)\s+(?:(\d+)-)?([\d:.]+)\s*$/.exec(line) ?? [];
    if (time === undefined) return [];
    const seconds = time.split(':').reduce((sum, part) => 60 * sum + Number(part), 0);
    return [[Number(pid), { cpuSeconds: Number(days) * 86_400 + seconds, residentBytes: Number(kilobytes) * 1024 }] as const];
  });
  return new Map(rows);
}
