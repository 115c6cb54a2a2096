import type { Sql, SqlValue, WritableSql } from '../../ledger/index/sql.ts';
import type { OpenDatabase } from '../../ledger/store/database.ts';
import { createStatementCache } from '../../ledger/store/statement-cache.ts';
import { createTransactions } from '../../ledger/store/transaction.ts';

/**
 * Opens the SQLite file of the API keys. It is separate from the node's database, which a running node locks, so that keys can be written
 * while the node runs. Several processes may have it open. Its folder must exist.
 */
export function openKeysFile(open: OpenDatabase, path: string): WritableSql & { readonly close: () => void } {
  const db = open(path, { readonly: false });
  // Another process may be writing a row at the same time: wait for it, up to 2 s.
  db.exec('PRAGMA busy_timeout = 2000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  const transactions = createTransactions(db);
  const prepared = createStatementCache(db);
  const sql: Sql = { dialect: 'sqlite', all: <Row>(text: string, values: readonly SqlValue[]) => prepared(text).all(...values) as Row[] };
  return { ...sql, write: (work) => transactions.write(() => work(sql)), close: db.close };
}
