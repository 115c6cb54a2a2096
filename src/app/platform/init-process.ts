import { readdirSync, readFileSync } from 'node:fs';
import { bunFfi } from '../../base/bytes/runtime-modules.ts';

/** Milliseconds between two looks for processes that have ended. */
const reapInterval = 5000;

/** `waitpid` returns at once if the process has not ended. */
const withoutWaiting = 1;

/**
 * Processes whose parent has ended become children of the first process of a container (PID 1), which must remove those that have ended from the
 * process table. Does so as long as this process runs.
 */
export function removeOrphans(): void {
  const waitpid = loadWaitpid();
  if (waitpid === undefined) return;
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

/** The function of the C library; undefined on Node, which cannot call it. */
function loadWaitpid(): ((pid: number, status: null, options: number) => unknown) | undefined {
  return bunFfi()?.dlopen('libc.so.6', { waitpid: { args: ['i32', 'ptr', 'i32'], returns: 'i32' } }).symbols.waitpid;
}
