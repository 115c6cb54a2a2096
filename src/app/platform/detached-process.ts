import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';

/** Set in the environment of a process that was started in the background, so that it does not start another one. */
const detachedVariable = 'SERAC_DETACHED';

/** Whether this process was started in the background. Removes the variable, so that child processes do not read it. */
export function takeDetachedMark(): boolean {
  const isDetached = process.env[detachedVariable] === '1';
  delete process.env[detachedVariable];
  return isDetached;
}

export type DetachedProcess = {
  readonly pid: number;
  /** The exit code, while this process waits; null after a signal. */
  readonly exited: Promise<number | null>;
};

/** Starts this program again, with the same arguments, in a session of its own. Its output is appended to a file. */
export async function startDetached(program: string | undefined, logFile: string): Promise<DetachedProcess> {
  const log = openLog(logFile);
  const args = [...process.execArgv, ...(program === undefined ? [] : [program]), ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, {
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
    throw new DetachError(`cannot write the log ${path}: ${(cause as { code?: string }).code ?? cause}; choose another with --log-file`, {
      code: 'DETACH_LOG_FAILED',
      path,
    });
  }
}

/** The size of a file; 0 if it does not exist. */
export function fileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** The text of a file from an offset on, at most its last `maxBytes`. */
export function readEnd(path: string, from: number, maxBytes: number): string {
  const start = Math.max(from, fileSize(path) - maxBytes);
  const bytes = Buffer.alloc(Math.max(0, fileSize(path) - start));
  const file = openSync(path, 'r');
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start)).toString();
  } finally {
    closeSync(file);
  }
}

/** The text of a file; undefined if it cannot be read. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

export class DetachError extends Fault<
  { code: 'DETACH_LOG_FAILED'; path: string } | { code: 'DETACH_STOPPED'; exitCode: number | null } | { code: 'DETACH_UNHEALTHY' }
> {}
