import { createHash } from 'node:crypto';
import { toHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { Database } from '../store/database.ts';
import type { CheckContext } from './check-context.ts';
import { type StoredUtxo, storedID, storedOwners } from './stored-utxo.ts';

type Pair = { readonly reader: number; readonly peer: number; readonly reader_id: Uint8Array; readonly peer_id: Uint8Array };

type AtomicRow = { readonly seq: number; readonly id: Uint8Array; readonly bytes: StoredUtxo | null; readonly removed: 0 | 1 };

/** Checks the memory that a chain shares with others, in both directions. Returns a hash of it, without the removed outputs. */
export function checkSharedMemory(db: Database, chain: number, { addProblem, readRows }: CheckContext): Id {
  const pairs = db.prepare<Pair>(
    `SELECT a.reader, a.peer, r.id AS reader_id, p.id AS peer_id
     FROM (SELECT DISTINCT reader, peer FROM atomic WHERE reader = ? OR peer = ?) a
     JOIN chain r ON r.number = a.reader JOIN chain p ON p.number = a.peer ORDER BY r.id, p.id`,
  );
  // Ordered as the table's index on (reader, id, peer), so that each batch starts where the last one ended without sorting.
  const rowsAfter = db.prepare<AtomicRow>(
    `SELECT seq, id, bytes, removed FROM atomic WHERE reader = ? AND peer = ? AND id > ? ORDER BY id LIMIT ?`,
  );
  const ownerRowCount = db.prepare<{ n: number }>(
    `SELECT count(*) AS n FROM atomic_owner WHERE reader = ? AND peer = ? AND address = ? AND seq = ?`,
  );
  const totalOwnerRows = db.prepare<{ n: number }>(`SELECT count(*) AS n FROM atomic_owner WHERE reader = ? AND peer = ?`);
  const digest = createHash('sha256');
  const noBytes = new Uint8Array(0);
  for (const { reader, peer, reader_id, peer_id } of pairs.all(chain, chain)) {
    let owners = 0;
    for (const row of readRows<AtomicRow>((last, limit) => rowsAfter.all(reader, peer, last?.id ?? noBytes, limit))) {
      if (row.bytes !== null && storedID(row.bytes) !== toHex(row.id)) addProblem(`shared output ${row.seq} does not match its id`);
      const expected = row.bytes === null || row.removed === 1 ? [] : [...new Set(storedOwners(row.bytes))];
      owners += expected.length;
      if (expected.some((owner) => ownerRowCount.get(reader, peer, Buffer.from(owner, 'hex'), row.seq)?.n !== 1))
        addProblem(`shared output ${row.seq} does not have the owner rows it should have`);
      if (row.bytes !== null && row.removed === 1) continue;
      for (const part of [reader_id, peer_id, row.id, row.bytes ?? noBytes]) digest.update(part);
    }
    const found = totalOwnerRows.get(reader, peer)?.n;
    if (found !== owners) addProblem(`there are ${found} owners of shared outputs, there should be ${owners}`);
  }
  return digest.digest('hex') as Id;
}
