import { Fault } from '../fault.ts';
import type { Database } from './database.ts';
import { storeFailed } from './fault.ts';

export type Transactions = {
  /** All of the work or nothing of it. What the driver throws becomes a fault; faults of the work pass through. */
  readonly write: <T>(work: () => T) => T;
  /** Every read inside sees the same commit, whatever another process writes meanwhile. */
  readonly read: <T>(work: () => T) => T;
};

export function transactionsOn(db: Database, isInMemory = false): Transactions {
  const begin = { write: db.prepare('BEGIN IMMEDIATE'), read: db.prepare('BEGIN') };
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  let open = false;

  const run = <T>(kind: 'read' | 'write', work: () => T): T => {
    begin[kind].run();
    open = true;
    try {
      const result = work();
      commit.run();
      return result;
    } catch (cause) {
      undo();
      throw cause;
    } finally {
      open = false;
    }
  };

  /** SQLite has already rolled back by itself after some errors (disk full, for one); then there is nothing left to undo. */
  const undo = (): void => {
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
        throw cause instanceof Fault ? cause : storeFailed('database', cause, isInMemory);
      }
    },
    read: (work) => (open ? work() : run('read', work)),
  };
}
