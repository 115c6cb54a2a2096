import { toHex } from '../../base/bytes/hex.ts';
import { idToBytes } from '../../base/bytes/id.ts';
import type { Database } from '../store/database.ts';
import { ownersOf } from './balance.ts';
import { type CheckContext, parseOrUndefined } from './check-context.ts';
import { belowAnyOutput } from './output-number.ts';
import type { Tables } from './schema.ts';
import { decodeWithoutChecksum, hasValidChecksum } from './stored-utxo.ts';
import type { UtxoRow } from './utxo-table.ts';

type Unspent = Pick<UtxoRow, 'id' | 'bytes'>;

/**
 * Checks that outputs match their IDs and have the order that pages need. Adds the unspent outputs to the hash ordered by ID, so that the
 * hash does not depend on their numbers.
 */
export function checkUtxos(
  db: Database,
  t: Tables,
  txs: number,
  addToHash: (bytes: Uint8Array) => void,
  { addProblem, readRows }: CheckContext,
) {
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
  for (const row of readRows<UtxoRow>((last, limit) => bySeq.all(last?.seq ?? belowAnyOutput, limit))) {
    const utxo = parseOrUndefined(() => decodeWithoutChecksum(row.bytes));
    if (utxo?.id !== toHex(row.id)) addProblem(`output ${row.seq} does not match its id`);
    if (utxo && !hasValidChecksum(row.bytes)) addProblem(`output ${row.seq} has a wrong checksum`);
    if (row.spent !== null && (row.spent < 1 || row.spent > txs))
      addProblem(`output ${row.seq} is marked as spent by a transaction that does not exist`);
    // Outputs from before linearization were added on request, so they can be at any position.
    const isPreLinearization = row.height === 0 && utxo !== undefined && (heightOf.get(idToBytes(utxo.txID))?.height ?? 0) === 0;
    if (previous !== undefined && !isPreLinearization && !isInOrder(previous, row)) addProblem(`output ${row.seq} is out of order`);
    if (row.spent === null) {
      unspent++;
      owners += utxo ? [...ownersOf(utxo)].length : 0;
    }
    previous = row;
  }
  for (const { bytes } of readRows<Unspent>((last, limit) => byId.all(last?.id ?? new Uint8Array(0), limit))) addToHash(bytes);
  return { unspent, owners };
}

/** Heights ascend; within a block IDs descend. */
const isInOrder = (before: UtxoRow, after: UtxoRow): boolean =>
  before.height < after.height || (before.height === after.height && Buffer.compare(before.id, after.id) > 0);
