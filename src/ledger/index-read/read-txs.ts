import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idText, idToBytes } from '../../base/bytes/id.ts';
import { txIdTable } from '../index/distribution.ts';
import { keyLookup } from '../index/key-lookup.ts';
import type { Sql } from '../index/sql.ts';
import { type IndexTables, signerKeyTable } from '../index/tables.ts';
import { damagedRow } from '../state/fault.ts';
import type { Tables } from '../state/schema.ts';
import { fetchRowGroups, fetchRows, type Queries, type Query } from '../store/queries.ts';
import type { FoundTx, PinnedBlock, QueriesOf } from './index-reads.ts';
import type { BlockReads } from './read-blocks.ts';
import { type OutputReads, seqOfId } from './read-outputs.ts';
import { type PublicKeyRow, toPublicKeys } from './read-public-keys.ts';
import { readTxEntries, type SpenderOfOutput, type TxRow } from './read-tx-entries.ts';
import { createTxSeqReads } from './read-tx-seqs.ts';
import { createTxsById } from './txs-by-id.ts';

export type TxReads = QueriesOf<'txSeq' | 'txs' | 'txsById' | 'txSeqs'> & {
  /** `tip`: the last indexed block if it is known; otherwise it is read together with the transaction. */
  readonly tx: (
    id: Id,
    isRendered: (seq: number, pin: PinnedBlock) => boolean,
    tip: PinnedBlock | undefined,
  ) => Queries<FoundTx | undefined>;
  /** The bytes of transactions: `id` and `bytes`. */
  readonly bySeq: (seqs: readonly number[]) => Query[];
};

export function createTxReads(
  t: Tables & IndexTables,
  { id: chainID, feeAsset }: { readonly id: Id; readonly feeAsset: Id },
  blocks: BlockReads,
  outputs: OutputReads,
  dialect: Sql['dialect'],
): TxReads {
  /** Whether a round trip costs more than to read something that may not be needed. On Citus that would be read from other shards. */
  const readsAhead = dialect === 'postgres';
  const chain = { id: chainID, outputs };
  const withOutputs = `SELECT x.seq, x.id, x.bytes, x.height, b.id AS block, b.time, x.outputs
    FROM ${t.tx} x JOIN ${t.block} b ON b.height = x.height`;
  const bySeq = keyLookup(dialect, (isKey) => `SELECT id, bytes FROM ${t.tx} WHERE seq ${isKey}`);
  const withOutputsBySeq = keyLookup(dialect, (isKey) => `${withOutputs} WHERE x.seq ${isKey}`);
  // Reads the ID from the table, not from the index that was searched, to notice a damaged index.
  const seq = seqOfId(t);
  const seqById =
    dialect === 'citus' ? `SELECT seq, id FROM ${txIdTable(dialect, t)} WHERE id = ?` : `SELECT seq, id FROM ${t.tx} WHERE seq = ${seq}`;
  const byId = `${withOutputs} WHERE x.seq = ${seq}`;
  const byIdOnCitus = createTxsById<TxRow>(dialect, t, withOutputs);
  const keysById = `SELECT k.address, k.public_key FROM ${t.tx} x JOIN ${signerKeyTable} k ON k.address IN (${usualOwners}) WHERE x.seq = ${seq}`;

  /** The rows that were read ahead; undefined if none were, or too many. */
  const completeSpenders = (rows: readonly unknown[]): readonly SpenderOfOutput[] | undefined =>
    readsAhead && rows.length <= outputs.spenders.maxJoined ? (rows as readonly SpenderOfOutput[]) : undefined;

  return {
    txSeqs: createTxSeqReads(t, feeAsset, blocks, dialect),
    bySeq,
    txSeq: function* (id, pin) {
      const [row] = yield* fetchRows<{ readonly seq: number; readonly id: Uint8Array }>([{ text: seqById, values: [idToBytes(id)] }]);
      if (row === undefined || row.seq > pin.lastTx) return undefined;
      if (toHex(row.id) !== id) throw damagedRow(`transaction ${idText(id)}`);
      return row.seq;
    },
    txs: function* (seqs, pin, maxBytes) {
      const found = yield* fetchRowGroups({
        txs: withOutputsBySeq(seqs),
        spenders: readsAhead ? outputs.spenders.ofTxs(seqs) : [],
      });
      const rows = new Map((found.txs as readonly TxRow[]).map((row) => [row.seq, row]));
      const sorted = seqs.map((seq) => rows.get(seq) as TxRow);
      return yield* readTxEntries(cutAtBytes(sorted, maxBytes), pin, chain, completeSpenders(found.spenders));
    },
    txsById: function* (ids, pin) {
      const found =
        dialect === 'citus'
          ? { txs: yield* byIdOnCitus(ids.map(idToBytes)), spenders: [] }
          : yield* fetchRowGroups({
              txs: ids.map((id) => ({ text: byId, values: [idToBytes(id)] })),
              spenders: readsAhead ? ids.map((id) => outputs.spenders.ofTx(id)) : [],
            });
      const rows = new Map((found.txs as readonly TxRow[]).map((row) => [toHex(row.id) as Id, row]));
      const accepted = ids.flatMap((id) => rows.get(id) ?? []).filter(({ seq }) => seq <= pin.lastTx);
      return yield* readTxEntries(accepted, pin, chain, completeSpenders(found.spenders));
    },
    tx: function* (id, isRendered, tip) {
      // What is read ahead must not be older than the block as of which it is shown.
      const pin = tip ?? blocks.tip.resultOf((yield [blocks.tip.query])[0] ?? []);
      const values = [idToBytes(id)];
      const found =
        dialect === 'citus'
          ? { tx: yield* byIdOnCitus(values), spenders: [], keys: [] }
          : yield* fetchRowGroups({
              tx: [{ text: byId, values }],
              spenders: readsAhead ? [outputs.spenders.ofTx(id)] : [],
              keys: readsAhead ? [{ text: keysById, values }] : [],
            });
      const row = found.tx[0] as TxRow | undefined;
      if (row === undefined || row.seq > pin.lastTx) return undefined;
      if (toHex(row.id) !== id) throw damagedRow(`transaction ${idText(id)}`);
      const publicKeys = toPublicKeys(found.keys as readonly PublicKeyRow[]);
      if (isRendered(row.seq, pin)) return { pin, seq: row.seq, entry: undefined, publicKeys };
      const [entry] = yield* readTxEntries([row], pin, chain, completeSpenders(found.spenders));
      return { pin, seq: row.seq, entry, publicKeys };
    },
  };
}

/**
 * SQL for the addresses that own the first two outputs which a transfer consumed, and the first two that it created, if each has one owner: nearly
 * all transactions have no others. What else is at these places of a transaction is no key of the table.
 */
const usualOwners = 'substr(x.outputs, 23, 20), substr(x.outputs, 65, 20), substr(x.bytes, 107, 20), substr(x.bytes, 187, 20)';

/**
 * Ends a list of transactions with the one that exceeds `maxBytes`, at the earliest with the second: looking up the outputs of a transaction costs
 * many times what reading it does.
 */
function cutAtBytes(rows: readonly TxRow[], maxBytes = Number.POSITIVE_INFINITY): readonly TxRow[] {
  let size = 0;
  const last = rows.findIndex(({ bytes }, i) => {
    size += bytes.length;
    return size > maxBytes && i > 0;
  });
  return last < 0 ? rows : rows.slice(0, last + 1);
}
