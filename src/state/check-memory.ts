import { createHash } from 'node:crypto';
import { toHex } from '../bytes/hex.ts';
import type { Id } from '../bytes/id.ts';
import type { Database } from '../store/database.ts';
import type { Checking } from './check-walk.ts';
import { type StoredUtxo, storedID, storedOwners } from './stored-utxo.ts';

type Pair = { readonly reader: number; readonly peer: number; readonly reader_id: Uint8Array; readonly peer_id: Uint8Array };

type AtomicRow = { readonly seq: number; readonly id: Uint8Array; readonly bytes: StoredUtxo | null; readonly removed: 0 | 1 };

/** The memory a chain shares with others, both ways; outputs that are gone are no part of its state. */
export function checkMemory(db: Database, chain: number, { complain, walk }: Checking): Id {
  const pairs = db.prepare<Pair>(
    `SELECT a.reader, a.peer, r.id AS reader_id, p.id AS peer_id
     FROM (SELECT DISTINCT reader, peer FROM atomic WHERE reader = ? OR peer = ?) a
     JOIN chain r ON r.number = a.reader JOIN chain p ON p.number = a.peer ORDER BY r.id, p.id`,
  );
  // In the order of the table's own index on (reader, id, peer), so that each piece goes on where the last one ended.
  const after = db.prepare<AtomicRow>(
    `SELECT seq, id, bytes, removed FROM atomic WHERE reader = ? AND peer = ? AND id > ? ORDER BY id LIMIT ?`,
  );
  const ownersOf = db.prepare<{ n: number }>(
    `SELECT count(*) AS n FROM atomic_owner WHERE reader = ? AND peer = ? AND address = ? AND seq = ?`,
  );
  const ownerRows = db.prepare<{ n: number }>(`SELECT count(*) AS n FROM atomic_owner WHERE reader = ? AND peer = ?`);
  const digest = createHash('sha256');
  const none = new Uint8Array(0);
  for (const { reader, peer, reader_id, peer_id } of pairs.all(chain, chain)) {
    let owners = 0;
    for (const row of walk<AtomicRow>((last, limit) => after.all(reader, peer, last?.id ?? none, limit))) {
      if (row.bytes !== null && storedID(row.bytes) !== toHex(row.id)) complain(`shared output ${row.seq} is not the one of its id`);
      const expected = row.bytes === null || row.removed === 1 ? [] : [...new Set(storedOwners(row.bytes))];
      owners += expected.length;
      if (expected.some((owner) => ownersOf.get(reader, peer, Buffer.from(owner, 'hex'), row.seq)?.n !== 1))
        complain(`shared output ${row.seq} has not the owners it names`);
      if (row.bytes !== null && row.removed === 1) continue;
      for (const part of [reader_id, peer_id, row.id, row.bytes ?? none]) digest.update(part);
    }
    const found = ownerRows.get(reader, peer)?.n;
    if (found !== owners) complain(`there are ${found} owners of shared outputs, there should be ${owners}`);
  }
  return digest.digest('hex') as Id;
}
