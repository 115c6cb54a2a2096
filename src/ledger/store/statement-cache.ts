import type { Database, Statement } from './database.ts';

/** Creates a function that prepares each SQL text once. It never evicts a statement, so callers must have a limited number of texts. */
export function createStatementCache(db: Pick<Database, 'prepare'>): (text: string) => Statement<unknown> {
  const statements = new Map<string, Statement<unknown>>();
  return (text) => {
    const cached = statements.get(text);
    if (cached !== undefined) return cached;
    const statement = db.prepare<unknown>(text);
    statements.set(text, statement);
    return statement;
  };
}

/** A database whose `prepare` prepares each SQL text once. */
export const withStatementCache = (db: Database): Database => ({ ...db, prepare: createStatementCache(db) as Database['prepare'] });
