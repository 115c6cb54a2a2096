import type { Database, OpenDatabase } from './database.ts';
import { makeStoreError, StoreError } from './fault.ts';

type Lock = { readonly release: () => void };

/**
 * Locks a data directory, so that only one process writes to it; throws STORE_IN_USE if another process holds the lock.
 * The lock is SQLite's exclusive lock on a separate small file and is held until the process ends.
 * The operating system releases it however the process ends, so a lock is never stale.
 */
export function acquireLock(open: OpenDatabase, path: string): Lock {
  const db = openLockFile(open, path);
  try {
    db.exec('PRAGMA busy_timeout = 0');
    db.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    db.close();
    if (!isBusy(cause)) throw makeStoreError(`cannot lock the data directory with ${path}`, cause);
    const busy = new StoreError(`${path} is locked: another process is using this data directory`, { code: 'STORE_IN_USE', path });
    busy.cause = cause;
    throw busy;
  }
  return { release: () => db.close() };
}

function openLockFile(open: OpenDatabase, path: string): Database {
  try {
    return open(path, { readonly: false });
  } catch (cause) {
    throw makeStoreError(`cannot open ${path}`, cause);
  }
}

const isBusy = (cause: unknown): boolean => /locked|busy/i.test((cause as { message?: string }).message ?? '');
