import { toHex } from '../bytes/hex.ts';
import { idToBytes } from '../bytes/id.ts';
import type { Database } from '../store/database.ts';
import { ownersOf } from './balance.ts';
import { type Checking, readable } from './check-walk.ts';
import type { Tables } from './schema.ts';
import { hasChecksum, parseStored, type StoredUtxo } from './stored-utxo.ts';

type UtxoRow = {
  readonly seq: number;
  readonly id: Uint8Array;
  readonly height: number;
  readonly bytes: StoredUtxo;
  readonly spent: number | null;
};

type Unspent = Pick<UtxoRow, 'id' | 'bytes'>;

/** Outputs are what their ids say, in the order pages need. Unspent ones go into the digest by id, so that it does not depend on numbering. */
export function checkUtxos(db: Database, t: Tables, txs: number, digest: (bytes: Uint8Array) => void, { complain, walk }: Checking) {
  const bySeq = db.prepare<UtxoRow>(
    `SELECT ${t.utxo}.*, tx AS spent FROM ${t.utxo} LEFT JOIN ${t.spend} ON utxo = seq WHERE seq > ? ORDER BY seq LIMIT ?`,
  );
  const byId = db.prepare<Unspent>(
    `SELECT id, bytes FROM ${t.utxo} WHERE id > ? AND NOT EXISTS (SELECT 1 FROM ${t.spend} WHERE utxo = seq) ORDER BY id LIMIT ?`,
  );
  const heightOf = db.prepare<{ height: number }>(`SELECT height FROM ${t.tx} WHERE id = ?`);
  let unspent = 0;
  let owners = 0;
  let previous: UtxoRow | undefined;
  for (const row of walk<UtxoRow>((last, limit) => bySeq.all(last?.seq ?? 0, limit))) {
    const utxo = readable(() => parseStored(row.bytes));
    if (utxo?.id !== toHex(row.id)) complain(`output ${row.seq} is not the one of its id`);
    if (utxo && !hasChecksum(row.bytes)) complain(`output ${row.seq} has a wrong checksum`);
    if (row.spent !== null && (row.spent < 1 || row.spent > txs)) complain(`output ${row.seq} was spent by no transaction`);
    // What is older than history came when somebody asked for it, so it may stand anywhere.
    const isOlder = row.height === 0 && utxo !== undefined && (heightOf.get(idToBytes(utxo.txID))?.height ?? 0) === 0;
    if (previous !== undefined && !isOlder && !inOrder(previous, row)) complain(`output ${row.seq} stands at the wrong place`);
    if (row.spent === null) {
      unspent++;
      owners += utxo ? [...ownersOf(utxo)].length : 0;
    }
    previous = row;
  }
  for (const { bytes } of walk<Unspent>((last, limit) => byId.all(last?.id ?? new Uint8Array(0), limit))) digest(bytes);
  return { unspent, owners };
}

/** Heights rise; within a block ids fall. */
const inOrder = (before: UtxoRow, after: UtxoRow): boolean =>
  before.height < after.height || (before.height === after.height && Buffer.compare(before.id, after.id) > 0);
