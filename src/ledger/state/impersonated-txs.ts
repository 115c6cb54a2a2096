import { type Id, idFromBytes, idToBytes } from '../../base/bytes/id.ts';
import type { Database } from '../store/database.ts';
import { tablesOf } from './schema.ts';

/** Marks transactions that were accepted without the signatures of impersonated addresses. Must run inside the block's write transaction. */
export function insertImpersonatedTxs(db: Database, chain: number, ids: readonly Id[]): void {
  const insert = db.prepare('INSERT OR IGNORE INTO impersonated_tx VALUES (?, ?)');
  for (const id of ids) insert.run(chain, idToBytes(id));
}

type ImpersonatedTxs = { readonly count: number; readonly first: { readonly id: Id; readonly height: number } | undefined };

/** The number of marked transactions of a chain, and the first of them. A database from before the mark existed has none. */
export function readImpersonatedTxs(db: Database, chain: number): ImpersonatedTxs {
  if (db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'impersonated_tx'`).get() === undefined) return { count: 0, first: undefined };
  const marked = `${tablesOf(chain).tx} AS tx JOIN impersonated_tx AS mark ON mark.id = tx.id AND mark.chain = ?`;
  const count = db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${marked}`).get(chain)?.n ?? 0;
  const row = db.prepare<{ id: Uint8Array; height: number }>(`SELECT tx.id, tx.height FROM ${marked} ORDER BY tx.seq LIMIT 1`).get(chain);
  return { count, first: row && { id: idFromBytes(row.id), height: row.height } };
}
