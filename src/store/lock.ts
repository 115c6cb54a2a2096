import type { Database, OpenDatabase } from './database.ts';
import { StoreError, storeFailed } from './fault.ts';

export type Lock = { readonly release: () => void };

/**
 * One writer per data directory. The lock is SQLite's own exclusive lock on a small file of its own, held for the life of the process:
 * the operating system drops it when the process dies, however it dies, so no lock is ever stale.
 */
export function acquireLock(open: OpenDatabase, path: string): Lock {
  const db = opened(open, path);
  try {
    db.exec('PRAGMA busy_timeout = 0');
    db.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    db.close();
    if (!isBusy(cause)) throw storeFailed(`cannot lock the data directory with ${path}`, cause);
    const busy = new StoreError(`${path} is locked: another process is using this data directory`, { code: 'STORE_IN_USE', path });
    busy.cause = cause;
    throw busy;
  }
  return { release: () => db.close() };
}

function opened(open: OpenDatabase, path: string): Database {
  try {
    return open(path, { readonly: false });
  } catch (cause) {
    throw storeFailed(`cannot open ${path}`, cause);
  }
}

const isBusy = (cause: unknown): boolean => /locked|busy/i.test((cause as { message?: string }).message ?? '');
