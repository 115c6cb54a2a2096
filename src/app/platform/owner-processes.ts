import { raiseStop } from './signals.ts';

/**
 * Processes without which this one should not run: bin/launcher.js, if it started this one as a child, and npm, which does not forward every signal.
 * bin/launcher.js writes their process ids to an environment variable.
 */
const ownersVariable = 'SERAC_OWNERS';

/** Milliseconds. */
const pollInterval = 250;

/** Stops this process, as SIGTERM would, when one of its owners has exited. Removes the variable, so that child processes do not read it. */
export function stopWithOwners(): void {
  const owners = (process.env[ownersVariable] ?? '').split(',').map(Number).filter(Number.isSafeInteger).filter(Boolean);
  delete process.env[ownersVariable];
  if (owners.length === 0) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (owners.every((pid) => (pid === parent ? process.ppid === parent : isRunning(pid)))) return;
    clearInterval(timer);
    raiseStop();
  }, pollInterval);
  timer.unref();
}

/** Signal 0 only checks whether the process exists. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: unknown }).code === 'EPERM';
  }
}
