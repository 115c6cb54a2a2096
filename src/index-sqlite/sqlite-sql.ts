import { IndexError } from '../index/fault.ts';
import type { Sql, SqlValue, WritableSql } from '../index/sql.ts';
import { preparedOn } from '../store/prepared.ts';
import type { Store } from '../store/store.ts';

/** A node's own database as the index asks it. */
export function sqliteSql(store: Store): WritableSql {
  const prepared = preparedOn(store.db);
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
