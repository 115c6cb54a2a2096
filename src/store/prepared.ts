import type { Database, Statement } from './database.ts';

/** Statements by their text, each prepared once. For callers that have a limited number of texts: none is ever let go. */
export function preparedOn(db: Pick<Database, 'prepare'>): (text: string) => Statement<unknown> {
  const statements = new Map<string, Statement<unknown>>();
  return (text) => {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const statement = db.prepare<unknown>(text);
    statements.set(text, statement);
    return statement;
  };
}
