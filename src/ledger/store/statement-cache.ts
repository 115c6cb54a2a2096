import { memoize } from '../../base/cache/memoize.ts';
import type { Database, Statement } from './database.ts';

/** Creates a function that prepares each SQL text once. It never evicts a statement, so callers must have a limited number of texts. */
export const createStatementCache = (db: Pick<Database, 'prepare'>): ((text: string) => Statement<unknown>) =>
  memoize((text: string) => db.prepare<unknown>(text));

/** A database whose `prepare` prepares each SQL text once. */
export const withStatementCache = (db: Database): Database => ({ ...db, prepare: createStatementCache(db) as Database['prepare'] });
