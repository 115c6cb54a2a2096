import { copyFileSync, truncateSync } from 'node:fs';
import { fileSize } from './detached-process.ts';

/** Bytes of the log of a node in the background, above which it begins anew; what it had is kept once, as FILE.1. */
const maxLogBytes = 64 * 1024 * 1024;

/** Milliseconds between two looks at the size. */
const lookInterval = 10_000;

/**
 * Empties a log that has grown beyond the limit, after copying it to FILE.1. It is not renamed: all processes of the node append to the open
 * file, and would go on with the renamed one.
 */
export function limitLogSize(path: string, maxBytes: number = maxLogBytes): void {
  if (fileSize(path) <= maxBytes) return;
  copyFileSync(path, `${path}.1`);
  truncateSync(path);
}

/** Keeps the log of this process within its limit as long as the process runs. */
export function keepLogSize(path: string, logError: (error: unknown) => void): void {
  const limit = (): void => {
    try {
      limitLogSize(path);
    } catch (error) {
      logError(error);
    }
  };
  limit();
  setInterval(limit, lookInterval).unref();
}
