import { Fault } from '../../base/fault.ts';
import type { Database } from './database.ts';
import { type DiskFailure, diskFailureOf, makeStoreError } from './fault.ts';

export type Transactions = {
  /**
   * Runs `work` in a write transaction and rolls back if it throws. A driver error becomes a StoreError; other faults pass unchanged. Inside
   * another write, `work` becomes part of that one.
   */
  readonly write: <T>(work: () => T) => T;
  /** Runs `work` in a read transaction: all its reads see the same commit, whatever other processes write meanwhile. May be nested. */
  readonly read: <T>(work: () => T) => T;
  /**
   * Increases with every write of this process, committed or not. Undefined inside a transaction: what is read there may be older or newer than
   * the last commit.
   */
  readonly writes: () => number | undefined;
};

/** `onDiskFailure` is called when a write has failed because of the disk. */
export function createTransactions(
  db: Database,
  isInMemory = false,
  onDiskFailure: (failure: DiskFailure) => void = () => {},
): Transactions {
  const begin = { write: db.prepare('BEGIN IMMEDIATE'), read: db.prepare('BEGIN') };
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  let open: 'read' | 'write' | undefined;
  let writes = 0;

  const run = <T>(kind: 'read' | 'write', work: () => T): T => {
    begin[kind].run();
    open = kind;
    try {
      const result = work();
      commit.run();
      return result;
    } catch (cause) {
      rollBack();
      throw cause;
    } finally {
      open = undefined;
      if (kind === 'write') writes++;
    }
  };

  /** After some errors (such as a full disk) SQLite has already rolled back by itself; ROLLBACK then fails, which is ignored. */
  const rollBack = (): void => {
    try {
      rollback.run();
    } catch {
      return;
    }
  };

  return {
    write: (work) => {
      if (open === 'write') return work();
      try {
        return run('write', work);
      } catch (cause) {
        const failure = diskFailureOf(cause);
        if (failure !== undefined) onDiskFailure(failure);
        throw cause instanceof Fault ? cause : makeStoreError('database', cause, isInMemory);
      }
    },
    read: (work) => (open !== undefined ? work() : run('read', work)),
    writes: () => (open === undefined ? writes : undefined),
  };
}
