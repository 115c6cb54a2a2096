import type { Utxo } from '../../avm/tx/utxo.ts';
import { type Id, idFromBytes, idText, idToBytes } from '../../base/bytes/id.ts';
import { createCache } from '../../base/cache/cache.ts';
import { bulkInsert } from '../store/bulk-insert.ts';
import type { Database, SqlValue } from '../store/database.ts';
import { damagedRow, StateError } from './fault.ts';
import { abovePreLinearization } from './output-number.ts';
import type { Tables } from './schema.ts';
import { decodeWithoutChecksum, hasValidChecksum, type StoredUtxo } from './stored-utxo.ts';
import type { UtxoPosition } from './utxo-page.ts';

/** An output with its number in the table and the height of the block that created it. */
export type NumberedUtxo = { readonly utxo: Utxo; readonly seq: number; readonly height: number; readonly bytes: StoredUtxo };

/** A row of the table, with the transaction that spent the output. */
export type UtxoRow = Omit<NumberedUtxo, 'utxo'> & {
  readonly id: Uint8Array;
  /** Number (`seq`) of the transaction that consumed it. */
  readonly spent: number | null;
};

/** All outputs of a chain, spent and unspent. */
export type UtxoTable = {
  readonly unspent: (id: Id) => Utxo | undefined;
  /** An output, spent or unspent. */
  readonly stored: (id: Id) => Utxo | undefined;
  readonly findPosition: (id: Id) => UtxoPosition | undefined;
  /** The transaction that spent an output. */
  readonly consumer: (id: Id) => Id | undefined;
  readonly fullBytes: (seq: number) => StoredUtxo;
  /** The number of the newest output; 0 if there is none. */
  readonly lastSeq: () => number;
  /** The lowest number of an output from before linearization; `abovePreLinearization` if there is none. */
  readonly oldestSeq: () => number;
  /** The row of an unspent output that a block consumes; throws if there is none. */
  readonly unspentRow: (utxo: Utxo) => NumberedUtxo;
  readonly insert: (utxos: readonly NumberedUtxo[]) => void;
  readonly spend: (utxos: readonly (NumberedUtxo & { spent: number | null })[]) => void;
  /** Updates the cache after a commit. */
  readonly updateCache: (created: readonly NumberedUtxo[], consumed: readonly NumberedUtxo[]) => void;
  /** Clears the cache after a failed commit, because it may contain rows of the rolled back transaction. */
  readonly clearCache: () => void;
};

/**
 * Bytes of a cached output beside its encoding. Most outputs are spent soon after they are created and are read several times until then, so a
 * small cache is enough.
 */
const entrySize = 900;

/** Opens the output table of a chain. `caching`: only in the writer process, since no other knows that a cached output is still unspent. */
export function openUtxoTable(db: Database, t: Tables, caching: boolean, damaged: (row: string) => StateError = damagedRow): UtxoTable {
  const byId = db.prepare<{ seq: number; height: number; bytes: StoredUtxo; spent: number | null }>(
    `SELECT seq, height, bytes, tx AS spent FROM ${t.utxo} LEFT JOIN ${t.spend} ON utxo = seq WHERE id = ?`,
  );
  const consumerById = db.prepare<{ id: Uint8Array }>(
    `SELECT x.id FROM ${t.utxo} u JOIN ${t.spend} s ON s.utxo = u.seq JOIN ${t.tx} x ON x.seq = s.tx WHERE u.id = ?`,
  );
  const bySeq = db.prepare<{ bytes: StoredUtxo }>(`SELECT bytes FROM ${t.utxo} WHERE seq = ?`);
  const last = db.prepare<{ seq: number | null }>(`SELECT max(seq) AS seq FROM ${t.utxo}`);
  const first = db.prepare<{ seq: number | null }>(`SELECT min(seq) AS seq FROM ${t.utxo}`);
  const insertRows = bulkInsert(db, `INSERT INTO ${t.utxo}`, 4);
  const insertSpends = bulkInsert(db, `INSERT INTO ${t.spend}`, 2);
  let clears = 0;
  const cache = createCache<Id, NumberedUtxo>('unspentOutputs', {
    size: (_, { bytes }) => bytes.length + entrySize,
    version: () => clears,
  });

  const decodeRow = (id: Id, bytes: StoredUtxo): Utxo => {
    if (!hasValidChecksum(bytes)) throw damaged(`output ${idText(id)}`);
    const utxo = decodeWithoutChecksum(bytes);
    if (utxo.id !== id) throw damaged(`output ${idText(id)}`);
    return utxo;
  };

  const find = (id: Id): NumberedUtxo | undefined => {
    const cached = cache.get(id);
    if (cached !== undefined) return cached;
    const row = byId.get(idToBytes(id));
    if (row === undefined || row.spent !== null) return undefined;
    const found = { utxo: decodeRow(id, row.bytes), seq: row.seq, height: row.height, bytes: row.bytes };
    if (caching) cache.set(id, found);
    return found;
  };

  return {
    unspent: (id) => find(id)?.utxo,
    stored: (id) => {
      const row = byId.get(idToBytes(id));
      return row && decodeRow(id, row.bytes);
    },
    findPosition: (id) => {
      const row = byId.get(idToBytes(id));
      return row && { seq: row.seq, bytes: row.bytes, isSpent: row.spent !== null };
    },
    consumer: (id) => {
      const row = consumerById.get(idToBytes(id));
      return row && idFromBytes(row.id);
    },
    fullBytes: (seq) => (bySeq.get(seq) as { bytes: StoredUtxo }).bytes,
    lastSeq: () => Math.max(last.get()?.seq ?? 0, 0),
    oldestSeq: () => Math.min(first.get()?.seq ?? 0, abovePreLinearization),
    unspentRow: ({ id }) => {
      const found = find(id);
      if (found === undefined)
        throw new StateError(`the block consumes output ${idText(id)}, which does not exist or is spent`, {
          code: 'STATE_MISSING_UTXO',
          utxoID: idText(id),
        });
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
    updateCache: (created, consumed) => {
      for (const { utxo } of consumed) cache.delete(utxo.id);
      if (caching) for (const row of created) cache.set(row.utxo.id, row);
    },
    clearCache: () => {
      clears++;
    },
  };
}
