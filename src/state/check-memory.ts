import { createHash } from 'node:crypto';
import { toHex } from '../bytes/hex.ts';
import type { Id } from '../bytes/id.ts';
import type { Database } from '../store/database.ts';
import { type Complain, piecewise } from './check-walk.ts';
import { type StoredUtxo, storedID, storedOwners } from './stored-utxo.ts';

type AtomicRow = {
  readonly seq: number;
  readonly reader: Uint8Array;
  readonly id: Uint8Array;
  readonly peer: Uint8Array;
  readonly bytes: StoredUtxo | null;
  readonly removed: 0 | 1;
};

/** The memory a chain shares with others, both ways; outputs that are gone are no part of its state. */
export function checkMemory(db: Database, chain: number, complain: Complain): Id {
  const after = db.prepare<AtomicRow>(
    `SELECT a.seq, r.id AS reader, a.id, p.id AS peer, a.bytes, a.removed
     FROM atomic a JOIN chain r ON r.number = a.reader JOIN chain p ON p.number = a.peer
     WHERE (a.reader = ? OR a.peer = ?) AND (r.id, p.id, a.id) > (?, ?, ?) ORDER BY r.id, p.id, a.id LIMIT ?`,
  );
  const ownersOf = db.prepare<{ n: number }>(`SELECT count(*) AS n FROM atomic_owner WHERE seq = ?`);
  const digest = createHash('sha256');
  const none = new Uint8Array(0);
  for (const row of piecewise<AtomicRow>((last, limit) =>
    after.all(chain, chain, last?.reader ?? none, last?.peer ?? none, last?.id ?? none, limit),
  )) {
    if (row.bytes !== null && storedID(row.bytes) !== toHex(row.id)) complain(`shared output ${row.seq} is not the one of its id`);
    const expected = row.bytes === null || row.removed === 1 ? 0 : new Set(storedOwners(row.bytes)).size;
    if (ownersOf.get(row.seq)?.n !== expected) complain(`shared output ${row.seq} has not the owners it names`);
    if (row.bytes !== null && row.removed === 1) continue;
    for (const part of [row.reader, row.peer, row.id, row.bytes ?? none]) digest.update(part);
  }
  return digest.digest('hex') as Id;
}
