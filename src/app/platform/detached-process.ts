import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { childProcess } from '../../base/bytes/runtime-modules.ts';
import { Fault } from '../../base/fault.ts';

/*
 * Processes of nodes in the background (`--detach`), and their logs: how cli/commands starts, stops and shows them (`serac stop`, `status`, `logs`, `testnet`).
 */

/** Set in the environment of a process that was started in the background, so that it does not start another one. */
const detachedVariable = 'SERAC_DETACHED';

/** Whether this process was started in the background. Removes the variable, so that child processes do not read it. */
export function takeDetachedMark(): boolean {
  const isDetached = process.env[detachedVariable] === '1';
  delete process.env[detachedVariable];
  return isDetached;
}

type DetachedProcess = {
  readonly pid: number;
  /** The exit code, while this process waits; null after a signal. */
  readonly exited: Promise<number | null>;
};

/** Starts this program again, with the same arguments, in a session of its own. Its output is appended to a file. */
export async function startDetached(program: string | undefined, logFile: string): Promise<DetachedProcess> {
  const log = openLog(logFile);
  const args = [...process.execArgv, ...(program === undefined ? [] : [program]), ...process.argv.slice(2)];
  const child = childProcess().spawn(process.execPath, args, {
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, [detachedVariable]: '1' },
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  closeSync(log);
  child.unref();
  return { pid: child.pid as number, exited };
}

function openLog(path: string): number {
  try {
    return openSync(path, 'a', 0o600);
  } catch (cause) {
    throw logError('write', path, cause);
  }
}

const logError = (verb: 'read' | 'write', path: string, cause: unknown): DetachError =>
  new DetachError(`cannot ${verb} the log ${path}: ${(cause as { code?: string }).code ?? cause}; choose another with --log-file`, {
    code: 'DETACH_LOG_FAILED',
    path,
  });

/** The size of a file; 0 if it does not exist. */
export function fileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Throws if a node in the background has written no log. */
export function requireLog(path: string): void {
  if (existsSync(path)) return;
  throw new DetachError(`there is no log ${path}; a node that is started with --detach writes one`, { code: 'DETACH_NO_LOG', path });
}

/** Reads a log from an offset to its end, at most the last `maxBytes`. `end`: the offset from which the next call reads on. */
export function readEnd(path: string, from: number, maxBytes: number): { readonly text: string; readonly end: number } {
  const size = fileSize(path);
  const start = Math.max(from, size - maxBytes);
  const bytes = Buffer.alloc(Math.max(0, size - start));
  try {
    const file = openSync(path, 'r');
    try {
      const length = readSync(file, bytes, 0, bytes.length, start);
      return { text: bytes.subarray(0, length).toString(), end: start + length };
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw logError('read', path, cause);
  }
}

/** The text of a file; undefined if there is none. Throws if this user may not read it: a node of another user may run. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as { code?: string };
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new DetachError(`cannot read ${path}: ${code ?? cause}; run the command as the user who runs the node`, {
      code: 'DETACH_REFUSED',
      path,
    });
  }
}

/** Whether this system can stop a process for a while and wake it again (SIGSTOP, SIGCONT). Windows cannot. */
export const canPauseProcesses = process.platform !== 'win32';

/** Asks a process to stop. */
export function stopProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (cause) {
    const { code } = cause as { code?: string };
    // It has ended meanwhile.
    if (code === 'ESRCH') return;
    throw new DetachError(`cannot stop pid ${pid}: ${code ?? cause}; run the command as the user who runs the node`, {
      code: 'DETACH_REFUSED',
    });
  }
}

export class DetachError extends Fault<
  | { code: 'DETACH_LOG_FAILED' | 'DETACH_NO_LOG'; path: string }
  | { code: 'DETACH_STOPPED'; exitCode: number | null }
  | { code: 'DETACH_RUNNING'; pid: number; url: string }
  | { code: 'DETACH_UNHEALTHY' }
  | { code: 'DETACH_REFUSED'; path?: string }
> {}
