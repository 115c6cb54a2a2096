import { cacheByVersion } from '../../base/cache/memoize.ts';
import { IndexError } from '../index/fault.ts';
import type { SqlValue, WritableSql } from '../index/sql.ts';
import { createStatementCache } from '../store/statement-cache.ts';
import type { Store } from '../store/store.ts';

/** Wraps the node's SQLite database in the interface that the index uses. */
export function createSqliteSql(store: Store): WritableSql {
  const prepared = createStatementCache(store.db);
  const sql: WritableSql = {
    dialect: 'sqlite',
    all: <Row>(text: string, values: readonly SqlValue[]) => prepared(text).all(...values) as Row[],
    read: store.read,
    epoch: store.epoch,
    untilCommit: (read) => cacheByVersion(read, store.version),
    write: (work) =>
      store.write(() => {
        const result = work(sql);
        // There is one connection: during an await other code could write into this transaction.
        if (result instanceof Promise)
          throw new IndexError('a write to SQLite must be synchronous: its callback returned a promise', { code: 'INDEX_WAITING_WRITE' });
        return result;
      }),
  };
  return sql;
}
