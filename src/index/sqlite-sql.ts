import type { Statement } from '../store/database.ts';
import type { Store } from '../store/store.ts';
import { IndexError } from './fault.ts';
import type { Sql, SqlValue, WritableSql } from './sql.ts';

/** A node's own database as the index asks it. Every text is prepared once: the index has a limited number of them. */
export function sqliteSql(store: Store): WritableSql {
  const statements = new Map<string, Statement<unknown>>();
  const prepared = (text: string): Statement<unknown> => {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const statement = store.db.prepare<unknown>(text);
    statements.set(text, statement);
    return statement;
  };
  const sql: Sql = {
    dialect: 'sqlite',
    all: <Row>(text: string, values: readonly SqlValue[]) => prepared(text).all(...values) as Row[],
    read: store.read,
  };
  return {
    ...sql,
    write: (work) =>
      store.write(() => {
        const result = work(sql);
        // There is one connection: whoever came in between would write into this transaction.
        if (result instanceof Promise) throw new IndexError('a write to SQLite cannot wait for anything', { code: 'INDEX_WAITING_WRITE' });
        return result;
      }),
  };
}
