import { readdirSync, readFileSync } from 'node:fs';
import { bunFfi } from '../../base/bytes/runtime-modules.ts';
import { attempt } from '../../base/fault.ts';

/** Milliseconds between two looks for processes that have ended. */
const reapInterval = 5000;

/** `waitpid` returns at once if the process has not ended. */
const withoutWaiting = 1;

/**
 * Processes whose parent has ended become children of the first process of a container (PID 1), which must remove those that have ended from the
 * process table. Does so as long as this process runs, on Bun: Node cannot call the C library.
 */
export function removeOrphans(warn: (text: string) => void, maps = readMaps()): void {
  const ffi = bunFfi();
  if (ffi === undefined) return;
  let waitpid: (pid: number, status: null, options: number) => unknown;
  try {
    waitpid = ffi.dlopen(findCLibrary(maps), { waitpid: { args: ['i32', 'ptr', 'i32'], returns: 'i32' } }).symbols.waitpid;
  } catch (error) {
    warn(
      `processes whose parent has ended stay in the process table: ${(error as Error).message}; start an init process before this one (docker run --init)`,
    );
    return;
  }
  let seen: readonly number[] = [];
  setInterval(() => {
    // This program's own children are waited for by the runtime, at once: what has ended twice is an orphan.
    const ended = listEnded();
    for (const pid of ended) if (seen.includes(pid)) waitpid(pid, null, withoutWaiting);
    seen = ended;
  }, reapInterval).unref();
}

/** Children of PID 1 that have ended and that nobody has waited for. */
function listEnded(): number[] {
  const isEnded = (pid: number): boolean => {
    try {
      const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const [state, parent] = text.slice(text.lastIndexOf(')') + 2).split(' ');
      return state === 'Z' && parent === '1';
    } catch {
      return false;
    }
  };
  return readdirSync('/proc').map(Number).filter(Number.isSafeInteger).filter(isEnded);
}

/**
 * The file of the C library that this process runs with, from the list of its memory maps: its name differs between glibc and musl (Alpine), and
 * Bun would look for a bare name in the current folder too. Without such a list, a name of glibc.
 */
export const findCLibrary = (maps: string): string =>
  /\/\S*\/(?:libc\.so\.6|(?:ld-musl|libc\.musl)-\w+\.so\.1)$/m.exec(maps)?.[0] ?? '/lib/libc.so.6';

const readMaps = (): string => attempt(() => readFileSync('/proc/self/maps', 'utf8')) ?? '';
