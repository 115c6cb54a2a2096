import type { SqlValue, WritableSql } from '../../ledger/index/sql.ts';
import type { OpenDatabase } from '../../ledger/store/database.ts';
import { createStatementCache } from '../../ledger/store/statement-cache.ts';
import { createTransactions } from '../../ledger/store/transaction.ts';

/**
 * Opens a small SQLite file beside the node's database, which a running node locks: API keys and webhooks can be written by several processes
 * while the node runs. Its folder must exist. `isDurable`: a write has reached the disk when it returns; otherwise the last writes may be lost
 * if the machine, not the process, fails.
 */
export function openSharedFile(open: OpenDatabase, path: string, isDurable = true): WritableSql & { readonly close: () => void } {
  const db = open(path, { readonly: false });
  // Another process may be writing a row at the same time: wait for it, up to 2 s.
  db.exec(`PRAGMA busy_timeout = 2000; PRAGMA journal_mode = WAL; PRAGMA synchronous = ${isDurable ? 'FULL' : 'NORMAL'};`);
  const transactions = createTransactions(db);
  const prepared = createStatementCache(db);
  const sql: WritableSql & { readonly close: () => void } = {
    dialect: 'sqlite',
    all: <Row>(text: string, values: readonly SqlValue[]) => prepared(text).all(...values) as Row[],
    write: (work) => transactions.write(() => work(sql)),
    close: db.close,
  };
  return sql;
}
