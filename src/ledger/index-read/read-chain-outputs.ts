import type { UtxoRef } from '../../avm/tx/input.ts';
import { refId } from '../../avm/tx/utxo.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { keyLookup } from '../index/key-lookup.ts';
import type { Sql } from '../index/sql.ts';
import { createOutputIdReads } from '../state/output-ids.ts';
import { indexOfOutput, isPreLinearizationOutput, outputNumber, txOfOutput } from '../state/output-number.ts';
import type { Tables } from '../state/schema.ts';
import { openCreatedUtxos, verifyStoredTx } from '../state/stored-tx.ts';
import type { StoredUtxo } from '../state/stored-utxo.ts';
import { outputsAreKnown } from '../state/tx-outputs.ts';
import { fetchRowGroups, fetchRows, type Queries, type Query, runTogether } from '../store/queries.ts';
import { createTxsById } from './txs-by-id.ts';

/** An output that a transaction of this chain created, and whether it is spent. */
export type ChainOutputRow = StoredChainOutput & {
  /** `seq` of the transaction that consumed the output; null while it is unspent. */
  readonly spent: number | null;
};

/** An output of this chain as it was created. `seq` is the number of the output (state/output-number.ts); height and time are those of its block. */
export type StoredChainOutput = { readonly seq: number; readonly height: number; readonly time: number; readonly bytes: StoredUtxo };

/**
 * Reads the outputs of this chain, for the other reads of the index (read-outputs.ts, read-search.ts), for indexing stored blocks again
 * (index-write/stored-blocks.ts) and for a chain in PostgreSQL (cluster/chain). No table has a row for each output: nearly all outputs are cut
 * out of the stored transactions that created them. Only two kinds of outputs have rows, in `old_utxo`: those from before linearization (when the
 * chain got blocks), and those that a fork of a live network (`--fork-url`) has copied from a node. Both kinds count as created in block 0 and are
 * numbered alike, so `isPreLinearizationOutput` is true for both, and "old" below means both.
 */
export type ChainOutputReads = {
  /** Outputs by number, in any order; those that do not exist are left out. */
  readonly bySeqs: (seqs: readonly number[]) => Queries<ChainOutputRow[]>;
  /** The same without `spent`, which saves the queries for it. */
  readonly storedBySeqs: (seqs: readonly number[]) => Queries<StoredChainOutput[]>;
  /**
   * Queries for transactions by `seq`. `storedBySeqs` has queries with the same text: if a caller yields both in one group (`runTogether`),
   * `serac api` makes one statement of them (cluster/postgres/statement-joiner.ts).
   */
  readonly txsBySeq: (seqs: readonly number[]) => Query[];
  /** Outputs by transaction and index; undefined where there is none. */
  readonly byRefs: (refs: readonly UtxoRef[]) => Queries<(StoredChainOutput | undefined)[]>;
  /** The number of the output with an ID. Slower than the reads by number or reference, because no index has all IDs; see state/output-ids.ts. */
  readonly seqById: (id: Id) => Queries<number | undefined>;
  /**
   * IDs in a range, both ends included, for a search by the beginning of an ID. The caller must know at least six characters of its CB58 text:
   * state/output-ids.ts does not search a wider range, so the list would have old outputs only. It never has more than `maxOldIds` of them.
   */
  readonly idsBetween: (low: Uint8Array, high: Uint8Array) => Queries<Id[]>;
  /** Adds the bytes of the outputs to those database rows (of `owner`, for example) that have no copy of them. */
  readonly addBytes: <Row extends { readonly seq: number; readonly bytes: StoredUtxo | null }>(
    rows: readonly Row[],
  ) => Queries<(Row & { readonly bytes: StoredUtxo })[]>;
  /** Queries for the spent ones among outputs. Their rows: number of the output (`utxo`) and of the transaction that consumed it (`tx`). */
  readonly spendsBySeq: (seqs: readonly number[]) => Query[];
};

/** `epoch`: the number of times that blocks were reverted. When it changes, IDs that this process has cached are read again. */
export function createChainOutputReads(dialect: Sql['dialect'], t: Tables, epoch: Sql['epoch'] = noReverts): ChainOutputReads {
  const txColumns = `SELECT x.seq, x.id, x.height, x.bytes, b.time FROM ${t.tx} x JOIN ${t.block} b ON b.height = x.height`;
  const txsBySeq = keyLookup(dialect, (isKey) => `${txColumns} WHERE x.seq ${isKey}`);
  // If a chain has history from before linearization, it is unknown which outputs of its genesis transactions still existed at block 0. So
  // `txsById` leaves these transactions out, and `byRefs` looks in `old_utxo`, which has those outputs that are known to have existed. `txsBySeq`
  // needs no such condition: the other outputs of these transactions were given no numbers.
  const txsById = createTxsById<TxRow>(dialect, t, txColumns, outputsAreKnown);
  const oldColumns = `SELECT o.seq, o.id, b.height, o.bytes, b.time FROM ${t.oldUtxo} o JOIN ${t.block} b ON b.height = 0`;
  const oldBySeq = keyLookup(dialect, (isKey) => `${oldColumns} WHERE o.seq ${isKey}`);
  const oldById = keyLookup(dialect, (isKey) => `${oldColumns} WHERE o.id ${isKey}`);
  const oldBetween = `SELECT id FROM ${t.oldUtxo} WHERE id >= ? AND id <= ? ORDER BY id LIMIT ${maxOldIds}`;
  const spendsBySeq = keyLookup(dialect, (isKey) => `SELECT utxo, tx FROM ${t.spend} WHERE utxo ${isKey}`);
  const ids = createOutputIdReads(t, epoch);

  /** Queries for the rows that contain outputs: transactions, and rows of `old_utxo`. */
  const sourcesOf = (seqs: readonly number[]) => ({
    txs: txsBySeq([...new Set(seqs.filter((seq) => !isPreLinearizationOutput(seq)).map(txOfOutput))]),
    old: oldBySeq(seqs.filter(isPreLinearizationOutput)),
  });

  function* bySeqs(seqs: readonly number[]): Queries<ChainOutputRow[]> {
    if (seqs.length === 0) return [];
    const rows = yield* fetchRowGroups({ ...sourcesOf(seqs), spends: spendsBySeq(seqs) });
    const find = outputFinder(rows.txs as readonly TxRow[], rows.old as readonly OldRow[]);
    const spends = new Map((rows.spends as readonly { utxo: number; tx: number }[]).map(({ utxo, tx }) => [utxo, tx]));
    return [...new Set(seqs)].flatMap((seq) => {
      const found = find(seq);
      return found === undefined ? [] : [{ ...found, spent: spends.get(seq) ?? null }];
    });
  }

  function* storedBySeqs(seqs: readonly number[]): Queries<StoredChainOutput[]> {
    const rows = yield* fetchRowGroups(sourcesOf(seqs));
    const find = outputFinder(rows.txs as readonly TxRow[], rows.old as readonly OldRow[]);
    return seqs.flatMap((seq) => find(seq) ?? []);
  }

  return {
    bySeqs,
    storedBySeqs,
    txsBySeq,
    byRefs: function* (refs) {
      // In the order of the index, neighbours are found on the same pages: for the indexer's thousands of them PostgreSQL takes a quarter less time.
      const txRows = yield* txsById([...new Set(refs.map(({ txID }) => txID))].sort().map(idToBytes));
      const txs = new Map(txRows.map((row) => [toHex(row.id), row]));
      const find = outputFinder(txRows, []);
      const others = refs.filter(({ txID }) => !txs.has(txID)).map((ref) => idToBytes(refId(ref)));
      const old = new Map((yield* fetchRows<OldRow>(oldById(others))).map(({ id, ...row }) => [toHex(id), row]));
      return refs.map((ref) => {
        const tx = txs.get(ref.txID);
        return tx === undefined ? old.get(refId(ref)) : find(outputNumber(tx.seq, ref.outputIndex));
      });
    },
    seqById: function* (id) {
      const [[old], [seq]] = yield* runTogether(fetchRows<OldRow>(oldById([idToBytes(id)])), ids.find([idToBytes(id)]));
      return old?.seq ?? seq;
    },
    idsBetween: function* (low, high) {
      const old = yield* fetchRows<{ id: Uint8Array }>([{ text: oldBetween, values: [low, high] }]);
      return [...old.map(({ id }) => id), ...(yield* ids.between(low, high))].map((id) => toHex(id) as Id);
    },
    addBytes: function* <Row extends { readonly seq: number; readonly bytes: StoredUtxo | null }>(rows: readonly Row[]) {
      const without = rows.filter(({ bytes }) => bytes === null).map(({ seq }) => seq);
      if (without.length === 0) return rows as (Row & { bytes: StoredUtxo })[];
      const found = yield* fetchRowGroups(sourcesOf(without));
      const find = outputFinder(found.txs as readonly TxRow[], found.old as readonly OldRow[]);
      return rows.map((row) => ({ ...row, bytes: row.bytes ?? (find(row.seq) as StoredChainOutput).bytes }));
    },
    spendsBySeq,
  };
}

/** Limit for the old outputs that `idsBetween` lists. */
const maxOldIds = 500;

type TxRow = { readonly seq: number; readonly id: Uint8Array; readonly height: number; readonly bytes: Uint8Array; readonly time: number };
type OldRow = StoredChainOutput & { readonly id: Uint8Array };

/** Returns a function that finds an output by its number in the rows read for it. A transaction is verified and decoded for its first output. */
function outputFinder(txs: readonly TxRow[], old: readonly OldRow[]): (seq: number) => StoredChainOutput | undefined {
  const txOf = new Map(txs.map((row) => [row.seq, row]));
  const oldOf = new Map(old.map(({ id: _, ...row }) => [row.seq, row]));
  const opened = new Map<number, ReturnType<typeof openCreatedUtxos>>();
  return (seq) => {
    if (isPreLinearizationOutput(seq)) return oldOf.get(seq);
    const tx = txOf.get(txOfOutput(seq));
    if (tx === undefined) return undefined;
    const read = opened.get(tx.seq) ?? openVerified(tx);
    opened.set(tx.seq, read);
    const bytes = read(indexOfOutput(seq));
    return bytes && { seq, height: tx.height, time: tx.time, bytes };
  };
}

function openVerified(tx: TxRow): ReturnType<typeof openCreatedUtxos> {
  verifyStoredTx(tx);
  return openCreatedUtxos(tx);
}

/** For callers that do not read by ID (stored-blocks.ts, cluster/chain): only `seqById` and `idsBetween` use the epoch. */
const noReverts = (): number => 0;
