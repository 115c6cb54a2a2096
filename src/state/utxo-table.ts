import { boundedMap } from '../bytes/bounded-map.ts';
import { type Id, idFromBytes, idText, idToBytes } from '../bytes/id.ts';
import { bulkInsert } from '../store/bulk-insert.ts';
import type { Database, SqlValue } from '../store/database.ts';
import type { Utxo } from '../tx/utxo.ts';
import { damagedRow, StateError } from './fault.ts';
import type { Tables } from './schema.ts';
import { hasChecksum, parseStored, type StoredUtxo } from './stored-utxo.ts';
import type { Place } from './utxo-page.ts';

/** An output with its number in the table and the height of the block that made it. */
export type NumberedUtxo = { readonly utxo: Utxo; readonly seq: number; readonly height: number; readonly bytes: StoredUtxo };

/** Every output of a chain, spent ones too. */
export type UtxoTable = {
  readonly unspent: (id: Id) => Utxo | undefined;
  readonly place: (id: Id) => Place | undefined;
  /** The transaction that spent an output. */
  readonly consumer: (id: Id) => Id | undefined;
  readonly wholeBytes: (seq: number) => StoredUtxo;
  readonly lastSeq: () => number;
  /** An unspent output that a block consumes, with its number. */
  readonly held: (utxo: Utxo) => NumberedUtxo;
  readonly insert: (utxos: readonly NumberedUtxo[]) => void;
  readonly spend: (utxos: readonly (NumberedUtxo & { spent: number | null })[]) => void;
  /** After the commit: what the cache may say from now on. */
  readonly remember: (created: readonly NumberedUtxo[], consumed: readonly NumberedUtxo[]) => void;
  /** After a commit that failed: what was read meanwhile may never have been. */
  readonly forget: () => void;
};

/** Outputs are mostly spent soon after they were made, and looked at several times until then. */
const maxCached = 4096;

/** Only the process that writes can know that a cached output is still unspent. */
export function utxoTable(db: Database, t: Tables, caching: boolean, damaged: (row: string) => StateError = damagedRow): UtxoTable {
  const byId = db.prepare<{ seq: number; height: number; bytes: StoredUtxo; spent: number | null }>(
    `SELECT seq, height, bytes, tx AS spent FROM ${t.utxo} LEFT JOIN ${t.spend} ON utxo = seq WHERE id = ?`,
  );
  const consumerById = db.prepare<{ id: Uint8Array }>(
    `SELECT x.id FROM ${t.utxo} u JOIN ${t.spend} s ON s.utxo = u.seq JOIN ${t.tx} x ON x.seq = s.tx WHERE u.id = ?`,
  );
  const bySeq = db.prepare<{ bytes: StoredUtxo }>(`SELECT bytes FROM ${t.utxo} WHERE seq = ?`);
  const last = db.prepare<{ seq: number | null }>(`SELECT max(seq) AS seq FROM ${t.utxo}`);
  const insertRows = bulkInsert(db, `INSERT INTO ${t.utxo}`, 4);
  const insertSpends = bulkInsert(db, `INSERT INTO ${t.spend}`, 2);
  let cache = boundedMap<Id, NumberedUtxo>(maxCached);

  const find = (id: Id): NumberedUtxo | undefined => {
    const cached = cache.get(id);
    if (cached !== undefined) return cached;
    const row = byId.get(idToBytes(id));
    if (row === undefined || row.spent !== null) return undefined;
    if (!hasChecksum(row.bytes)) throw damaged(`output ${idText(id)}`);
    const found = { utxo: parseStored(row.bytes), seq: row.seq, height: row.height, bytes: row.bytes };
    if (found.utxo.id !== id) throw damaged(`output ${idText(id)}`);
    if (caching) cache.set(id, found);
    return found;
  };

  return {
    unspent: (id) => find(id)?.utxo,
    place: (id) => {
      const row = byId.get(idToBytes(id));
      return row && { seq: row.seq, bytes: row.bytes, gone: row.spent !== null };
    },
    consumer: (id) => {
      const row = consumerById.get(idToBytes(id));
      return row && idFromBytes(row.id);
    },
    wholeBytes: (seq) => (bySeq.get(seq) as { bytes: StoredUtxo }).bytes,
    lastSeq: () => last.get()?.seq ?? 0,
    held: ({ id }) => {
      const found = find(id);
      if (found === undefined)
        throw new StateError(`the block consumes ${idText(id)}, which is not there`, { code: 'STATE_MISSING_UTXO', utxoID: idText(id) });
      return found;
    },
    insert: (utxos) => {
      const rows: SqlValue[] = [];
      for (const { utxo, seq, height, bytes } of utxos) rows.push(seq, idToBytes(utxo.id), height, bytes);
      insertRows(rows);
    },
    spend: (utxos) => {
      const rows: SqlValue[] = [];
      for (const { seq, spent } of utxos) if (spent !== null) rows.push(seq, spent);
      insertSpends(rows);
    },
    remember: (created, consumed) => {
      for (const { utxo } of consumed) cache.delete(utxo.id);
      if (caching) for (const row of created) cache.set(row.utxo.id, row);
    },
    forget: () => {
      cache = boundedMap<Id, NumberedUtxo>(maxCached);
    },
  };
}
