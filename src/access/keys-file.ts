import type { Sql, SqlValue, WritableSql } from '../index/sql.ts';
import type { OpenDatabase } from '../store/database.ts';
import { preparedOn } from '../store/prepared.ts';
import { transactionsOn } from '../store/transaction.ts';

/**
 * A SQLite file for the keys alone: it can be written while a node runs, which has the other file to itself. Several processes may have it
 * open; its folder must be there.
 */
export function openKeysFile(open: OpenDatabase, path: string): WritableSql & { readonly close: () => void } {
  const db = open(path, { readonly: false });
  // Another process writes one row now and then: whoever meets it waits a moment.
  db.exec('PRAGMA busy_timeout = 2000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  const transactions = transactionsOn(db);
  const prepared = preparedOn(db);
  const sql: Sql = { dialect: 'sqlite', all: <Row>(text: string, values: readonly SqlValue[]) => prepared(text).all(...values) as Row[] };
  return { ...sql, write: (work) => transactions.write(() => work(sql)), close: db.close };
}
