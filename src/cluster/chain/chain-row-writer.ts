import type { Utxo } from '../../avm/tx/utxo.ts';
import { type Id, idText, idToBytes } from '../../base/bytes/id.ts';
import { batchedStatement } from '../../ledger/index/batched-statement.ts';
import { addressBlob } from '../../ledger/index/blob.ts';
import { chainTables } from '../../ledger/index/chain-tables.ts';
import type { Dialect } from '../../ledger/index/ddl.ts';
import { txIdSchema, txIdTable } from '../../ledger/index/distribution.ts';
import { IndexError } from '../../ledger/index/fault.ts';
import { insertRows } from '../../ledger/index/insert-rows.ts';
import type { SqlValue } from '../../ledger/index/sql.ts';
import { indexSchema } from '../../ledger/index/tables.ts';
import type { ChainOutputRow } from '../../ledger/index-read/read-chain-outputs.ts';
import { deleteRows } from '../../ledger/index-write/writer-queries.ts';
import { assetRow } from '../../ledger/state/asset-table.ts';
import { createBlockBatch } from '../../ledger/state/block-batch.ts';
import type { NewBlock, StoredBlock } from '../../ledger/state/block-change.ts';
import { blockRow } from '../../ledger/state/block-row.ts';
import { type NumberedBlock, txRows } from '../../ledger/state/history.ts';
import { addIdsOf, createOutputIdReads } from '../../ledger/state/output-ids.ts';
import { unspentOwnerKeys, unspentOwnerRows } from '../../ledger/state/owner-rows.ts';
import type { Tables } from '../../ledger/state/schema.ts';
import { encodeStoredUtxo } from '../../ledger/state/stored-utxo.ts';
import { type NumberedUtxo, oldUtxoRows, spendRows } from '../../ledger/state/utxo-table.ts';
import { fetchRows, type Queries, type Query } from '../../ledger/store/queries.ts';
import type { ChainRowReads } from './chain-row-reads.ts';

/** An unspent output with the time of the block that created it, in the form of a row that was read. */
export type UnspentOutput = NumberedUtxo & ChainOutputRow & { readonly spent: null };

/**
 * Makes the rows of a followed chain in PostgreSQL: blocks, transactions, outputs and assets, numbered as in state/block-batch.ts. postgres-chain.ts runs
 * the queries.
 */
export function createChainRowWriter(dialect: Dialect, t: Tables, feeAsset: Id, reads: ChainRowReads) {
  const insert = (name: keyof typeof chainTables, onConflict?: string) => insertRows(dialect, t[name], chainTables[name], onConflict);
  const addBlocks = insert('block');
  const addTxs = insert('tx');
  const addTxIds = dialect === 'citus' ? insertRows(dialect, txIdTable(dialect, t), txIdSchema) : () => [];
  const addOldUtxos = insert('oldUtxo');
  const addIds = insert('outputId');
  const addSpends = insert('spend');
  const addOwners = insertRows(dialect, t.owner, indexSchema.owner);
  const removeOwners = deleteRows(dialect, t.owner, indexSchema.owner);
  const addAssets = insert('asset', ' ON CONFLICT DO NOTHING');
  const firstTimeQuery = { text: `SELECT time FROM ${t.block} WHERE height = 0`, values: [] };
  const raiseUnspent = batchedStatement([1], 2, () => `UPDATE ${t.block} SET unspent = unspent + ? WHERE height = ?`);
  const ids = createOutputIdReads(t, () => 0);

  /**
   * Numbers the transactions and outputs of consecutive blocks. Returns `queries`, which insert them; `mergeIds`, to run after the queries, which merges
   * rows of output IDs; and the outputs that the blocks leave unspent or have spent. `loaded`: rows of outputs that were read since the last commit and
   * are not read again.
   */
  function* numberBlocks(
    blocks: readonly NewBlock[],
    unspentBefore: number,
    loaded: ReadonlyMap<Id, ChainOutputRow>,
  ): Queries<{ stored: StoredBlock[]; queries: Query[]; mergeIds: Queries<void>; unspent: UnspentOutput[]; spentIDs: ReadonlySet<Id> }> {
    const storedRows = yield* consumedRows(reads, blocks, loaded);
    const before = { ...(yield* reads.lastSeqs()), unspent: unspentBefore };
    const recentIds = yield* ids.recentUpTo(before.tx);
    const runs = recentIds.run();
    const times = new Map(blocks.map(({ block }) => [Number(block.height), Number(block.time)]));
    // Outputs from before linearization have the time of block 0.
    for (const { time } of yield* fetchRows<{ time: number }>([firstTimeQuery])) times.set(0, time);
    for (const { height, time } of storedRows.values()) times.set(height, time);
    const timeAt = (height: number) => times.get(height) as number;
    const spentIDs = new Set<Id>();
    const unspentRow = (utxo: Utxo, created: NumberedUtxo | undefined): NumberedUtxo => {
      const row = storedRows.get(utxo.id);
      if (spentIDs.has(utxo.id) || (row !== undefined && row.spent !== null)) throw spentTwice(utxo.id);
      spentIDs.add(utxo.id);
      if (created !== undefined) return created;
      if (row === undefined) throw missingOutput(utxo.id);
      return { utxo, seq: row.seq, height: row.height, bytes: row.bytes };
    };
    const { rows, numbers, add } = createBlockBatch({ before, unspentRow, timeAt });
    const oldRows = new Map<Id, NumberedUtxo>();
    const assets: SqlValue[] = [];
    const stored = blocks.map((next): StoredBlock => {
      const { diff, preLinearizationUtxos = [], preLinearizationAssets = [], imported = new Map() } = next;
      const old = preLinearizationUtxos
        .filter(({ id }) => !storedRows.has(id) && !oldRows.has(id))
        .map((utxo, i) => preLinearizationRow(utxo, numbers().oldest - 1 - i));
      for (const row of old) {
        oldRows.set(row.utxo.id, row);
        rows.unspent.set(row.utxo.id, row);
      }
      for (const tx of preLinearizationAssets) assets.push(...(assetRow(tx) ?? []));
      for (const { tx } of diff.applied) if (tx.unsigned.kind === 'CreateAssetTx') assets.push(...(assetRow(tx) ?? []));
      return { ...add(next, old), imported };
    });
    const unspent = [...rows.unspent.values()];
    const idRows = addIdsOf(recentIds, rows.created, numbers().tx);
    const queries = [
      ...addBlocks(rows.blocks.flatMap((row) => blockRow(row.block, row.firstTx, row.unspent, feeAsset))),
      ...addTxs(txRows(rows.blocks)),
      ...addTxIds(txIdRows(rows.blocks)),
      ...addOldUtxos(oldUtxoRows([...oldRows.values()])),
      ...addIds(idRows.flatMap(({ number, last_tx, ids }) => [number, last_tx, ids])),
      ...addSpends(spendRows(rows.spent)),
      ...removeOwners(unspentOwnerKeys(rows.consumedEarlier, addressBlob)),
      ...addOwners(unspentOwnerRows(unspent, addressBlob)),
      ...addAssets(assets),
    ];
    return {
      stored,
      queries,
      mergeIds: ids.merge(runs, recentIds.run()),
      unspent: unspent.map(({ utxo, seq, height, bytes }) => ({ utxo, seq, height, bytes, time: timeAt(height), spent: null })),
      spentIDs,
    };
  }

  /** Adds outputs from before linearization; outputs that are already stored, spent or unspent, are skipped. */
  function* addPreLinearizationUtxos(utxos: readonly Utxo[]): Queries<NumberedUtxo[]> {
    const storedRows = yield* reads.utxoRows(utxos);
    const { oldest } = yield* reads.lastSeqs();
    const tip = yield* reads.lastBlock();
    const added = [...new Map(utxos.map((utxo) => [utxo.id, utxo])).values()].filter(({ id }) => !storedRows.has(id));
    const rows = added.map((utxo, i) => preLinearizationRow(utxo, oldest - 1 - i));
    if (rows.length === 0) return [];
    yield [
      ...addOldUtxos(oldUtxoRows(rows)),
      ...addOwners(unspentOwnerRows(rows, addressBlob)),
      ...raiseUnspent([rows.length, tip?.height ?? 0]),
    ];
    return rows;
  }

  return { numberBlocks, addPreLinearizationUtxos };
}

/** Rows of the table that finds transactions by ID on Citus. */
const txIdRows = (blocks: readonly NumberedBlock[]): SqlValue[] =>
  blocks.flatMap(({ applied, firstTx }) => applied.flatMap(({ tx }, i) => [idToBytes(tx.id), firstTx + i]));

/** The rows of earlier outputs that blocks consume, by ID. Those in `loaded` need not be read. */
function* consumedRows(
  reads: ChainRowReads,
  blocks: readonly NewBlock[],
  loaded: ReadonlyMap<Id, ChainOutputRow>,
): Queries<ReadonlyMap<Id, ChainOutputRow>> {
  const rows = new Map<Id, ChainOutputRow>();
  const unknown: Utxo[] = [];
  const createdIDs = new Set<Id>();
  for (const { diff, preLinearizationUtxos = [] } of blocks) {
    for (const utxo of [...diff.consumed.values(), ...preLinearizationUtxos]) {
      const row = loaded.get(utxo.id);
      if (row !== undefined) rows.set(utxo.id, row);
      else if (!createdIDs.has(utxo.id)) unknown.push(utxo);
    }
    for (const { effects } of diff.applied) for (const { id } of effects.created) createdIDs.add(id);
  }
  for (const [id, row] of yield* reads.utxoRows(unknown)) rows.set(id, row);
  return rows;
}

const preLinearizationRow = (utxo: Utxo, seq: number): NumberedUtxo => ({ utxo, seq, height: 0, bytes: encodeStoredUtxo(utxo) });

const missingOutput = (id: Id) =>
  new IndexError(`the block consumes output ${idText(id)}, which does not exist`, { code: 'INDEX_MISSING_OUTPUT', utxoID: idText(id) });

const spentTwice = (id: Id) =>
  new IndexError(`the block consumes output ${idText(id)}, which is already spent`, { code: 'INDEX_SPENT_TWICE', utxoID: idText(id) });
