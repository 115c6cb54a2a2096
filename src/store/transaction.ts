import { Fault } from '../fault.ts';
import type { Database } from './database.ts';
import { makeStoreError } from './fault.ts';

export type Transactions = {
  /** Runs `work` in a write transaction and rolls back if it throws. A driver error becomes a StoreError; other faults pass unchanged. */
  readonly write: <T>(work: () => T) => T;
  /** Runs `work` in a read transaction: all its reads see the same commit, whatever other processes write meanwhile. May be nested. */
  readonly read: <T>(work: () => T) => T;
};

export function createTransactions(db: Database, isInMemory = false): Transactions {
  const begin = { write: db.prepare('BEGIN IMMEDIATE'), read: db.prepare('BEGIN') };
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  let isOpen = false;

  const run = <T>(kind: 'read' | 'write', work: () => T): T => {
    begin[kind].run();
    isOpen = true;
    try {
      const result = work();
      commit.run();
      return result;
    } catch (cause) {
      rollBack();
      throw cause;
    } finally {
      isOpen = false;
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
      try {
        return run('write', work);
      } catch (cause) {
        throw cause instanceof Fault ? cause : makeStoreError('database', cause, isInMemory);
      }
    },
    read: (work) => (isOpen ? work() : run('read', work)),
  };
}
