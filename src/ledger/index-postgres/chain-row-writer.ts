import type { Utxo } from '../../avm/tx/utxo.ts';
import { type Id, idText, idToBytes } from '../../base/bytes/id.ts';
import { batchedStatement } from '../index/batched-statement.ts';
import { chainTables } from '../index/chain-tables.ts';
import { IndexError } from '../index/fault.ts';
import { insertRows } from '../index/insert-rows.ts';
import type { SqlValue } from '../index/sql.ts';
import { fetchRows, type Query, type Steps } from '../index/steps.ts';
import { indexSchema } from '../index/tables.ts';
import type { ChainOutputRow } from '../index-read/read-chain-outputs.ts';
import { deleteRows } from '../index-write/writer-queries.ts';
import { assetRow } from '../state/asset-table.ts';
import { computeBlockChange, type NewBlock, type StoredBlock } from '../state/block-change.ts';
import { blockRow } from '../state/block-row.ts';
import { addIdsOf, createOutputIdReads, type RecentIds } from '../state/output-ids.ts';
import { unspentOwnerKeys, unspentOwnerRows } from '../state/owner-rows.ts';
import type { Tables } from '../state/schema.ts';
import { encodeStoredUtxo } from '../state/stored-utxo.ts';
import type { NumberedUtxo } from '../state/utxo-table.ts';
import type { ChainRowReads } from './chain-row-reads.ts';

/** An unspent output with the time of the block that created it. */
export type UnspentOutput = NumberedUtxo & { readonly time: number };

/** Writes the tables of a followed chain: blocks, transactions, outputs and assets, numbered as in state/block-batch.ts. */
export function createChainRowWriter(t: Tables, feeAsset: Id, reads: ChainRowReads) {
  const insert = (name: keyof typeof chainTables, onConflict?: string) => insertRows('postgres', t[name], chainTables[name], onConflict);
  const addBlocks = insert('block');
  const addTxs = insert('tx');
  const addOldUtxos = insert('oldUtxo');
  const addIds = insert('outputId');
  const addSpends = insert('spend');
  const addOwners = insertRows('postgres', t.owner, indexSchema.owner);
  const removeOwners = deleteRows('postgres', t.owner, indexSchema.owner);
  const addAssets = insert('asset', ' ON CONFLICT DO NOTHING');
  const firstTimeQuery = { text: `SELECT time FROM ${t.block} WHERE height = 0`, values: [] };
  const raiseUnspent = batchedStatement([1], 2, () => `UPDATE ${t.block} SET unspent = unspent + ? WHERE height = ?`);
  const ids = createOutputIdReads(t, () => 0);

  /** The rows of earlier outputs that blocks consume, by ID. Those in `loaded` need not be read. */
  function* consumedRows(blocks: readonly NewBlock[], loaded: ReadonlyMap<Id, ChainOutputRow>): Steps<ReadonlyMap<Id, ChainOutputRow>> {
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

  /**
   * Numbers the transactions and outputs of consecutive blocks, and returns the queries that insert them, and steps to run after these. `loaded`: rows of outputs that have
   * been read since the last commit, and need not be read again.
   */
  function* numberBlocks(
    blocks: readonly NewBlock[],
    unspentBefore: number,
    loaded: ReadonlyMap<Id, ChainOutputRow>,
  ): Steps<{ stored: StoredBlock[]; queries: Query[]; mergeIds: Steps<void>; unspent: UnspentOutput[]; spentIDs: ReadonlySet<Id> }> {
    const storedRows = yield* consumedRows(blocks, loaded);
    const before = { ...(yield* reads.lastSeqs()), unspent: unspentBefore };
    const recentIds = yield* ids.recentUpTo(before.tx);
    const runs = recentIds.run();
    const times = new Map(blocks.map(({ block }) => [Number(block.height), Number(block.time)]));
    // Outputs from before linearization have the time of block 0.
    for (const { time } of yield* fetchRows<{ time: number }>([firstTimeQuery])) times.set(0, time);
    for (const { height, time } of storedRows.values()) times.set(height, time);
    const timeAt = (height: number) => times.get(height) as number;
    const batch = createRowBatch({ before, storedRows, timeAt, recentIds, feeAsset });
    const stored = blocks.map(batch.add);
    const { rows, consumedEarlier, spentIDs } = batch;
    const unspent = batch.unspent();
    const queries = [
      ...addBlocks(rows.block),
      ...addTxs(rows.tx),
      ...addOldUtxos(rows.oldUtxo),
      ...addIds(rows.ids),
      ...addSpends(rows.spend),
      ...removeOwners(unspentOwnerKeys(consumedEarlier)),
      ...addOwners(unspentOwnerRows(unspent)),
      ...addAssets(rows.asset),
    ];
    return {
      stored,
      queries,
      mergeIds: ids.merge(runs, recentIds.run()),
      unspent: unspent.map(({ utxo, seq, height, bytes }) => ({ utxo, seq, height, bytes, time: timeAt(height) })),
      spentIDs,
    };
  }

  /** Adds outputs from before linearization; outputs that are already stored, spent or unspent, are skipped. */
  function* addPreLinearizationUtxos(utxos: readonly Utxo[]): Steps<NumberedUtxo[]> {
    const storedRows = yield* reads.utxoRows(utxos);
    const { oldest } = yield* reads.lastSeqs();
    const tip = yield* reads.lastBlock();
    const added = [...new Map(utxos.map((utxo) => [utxo.id, utxo])).values()].filter(({ id }) => !storedRows.has(id));
    const rows = added.map((utxo, i) => preLinearizationRow(utxo, oldest - 1 - i));
    if (rows.length === 0) return [];
    yield [
      ...addOldUtxos(rows.flatMap(({ utxo, seq, bytes }) => [seq, idToBytes(utxo.id), bytes])),
      ...addOwners(unspentOwnerRows(rows)),
      ...raiseUnspent([rows.length, tip?.height ?? 0]),
    ];
    return rows;
  }

  return { numberBlocks, addPreLinearizationUtxos };
}

/** What is read before blocks are numbered. */
type BatchStart = {
  /** The last numbers in use, and the number of unspent outputs. */
  readonly before: { readonly tx: number; readonly oldest: number; readonly unspent: number };
  /** Earlier outputs that the blocks consume. */
  readonly storedRows: ReadonlyMap<Id, ChainOutputRow>;
  readonly timeAt: (height: number) => number;
  readonly recentIds: RecentIds;
  readonly feeAsset: Id;
};

/** The rows that consecutive blocks add, by table. */
function createRowBatch({ before, storedRows, timeAt, recentIds, feeAsset }: BatchStart) {
  const at = { ...before };
  const newUtxos = new Map<Id, NumberedUtxo>();
  const spentIDs = new Set<Id>();
  const consumedEarlier: NumberedUtxo[] = [];
  const rows = {
    block: [] as SqlValue[],
    tx: [] as SqlValue[],
    oldUtxo: [] as SqlValue[],
    ids: [] as SqlValue[],
    spend: [] as SqlValue[],
    asset: [] as SqlValue[],
  };
  const unspentRow = (utxo: Utxo): NumberedUtxo => {
    const row = storedRows.get(utxo.id);
    if (spentIDs.has(utxo.id) || (row !== undefined && row.spent !== null)) throw spentTwice(utxo.id);
    spentIDs.add(utxo.id);
    const created = newUtxos.get(utxo.id);
    if (created !== undefined) return created;
    if (row === undefined) throw missingOutput(utxo.id);
    return { utxo, seq: row.seq, height: row.height, bytes: row.bytes };
  };
  return {
    rows,
    consumedEarlier,
    spentIDs,
    unspent: () => [...newUtxos.values()].filter(({ utxo }) => !spentIDs.has(utxo.id)),
    add: ({ block, diff, preLinearizationUtxos: utxos = [], preLinearizationAssets = [], imported }: NewBlock): StoredBlock => {
      const height = Number(block.height);
      const preLinearization = utxos
        .filter(({ id }) => !storedRows.has(id) && !newUtxos.has(id))
        .map((utxo, i) => preLinearizationRow(utxo, at.oldest - 1 - i));
      for (const row of preLinearization) newUtxos.set(row.utxo.id, row);
      at.oldest -= preLinearization.length;
      const firstTx = at.tx + 1;
      const { created, unspent, consumed, txOutputs, deltas } = computeBlockChange(diff, { height, firstTx, unspentRow, timeAt });
      for (const row of unspent) newUtxos.set(row.utxo.id, row);
      at.tx += diff.applied.length;
      for (const { number, last_tx, ids } of addIdsOf(recentIds, created, at.tx)) rows.ids.push(number, last_tx, ids);
      at.unspent += preLinearization.length + unspent.length - consumed.length;
      rows.block.push(...blockRow(block, firstTx, at.unspent, feeAsset));
      for (const [i, { tx }] of diff.applied.entries()) rows.tx.push(firstTx + i, idToBytes(tx.id), height, tx.bytes, txOutputs[i] ?? null);
      for (const { seq, utxo, bytes } of preLinearization) rows.oldUtxo.push(seq, idToBytes(utxo.id), bytes);
      for (const row of consumed) if (!newUtxos.has(row.utxo.id)) consumedEarlier.push(row);
      for (const { seq, spent } of created) if (spent !== null) rows.spend.push(seq, spent);
      for (const { seq, spent } of consumed) rows.spend.push(seq, spent);
      for (const tx of preLinearizationAssets) rows.asset.push(...(assetRow(tx) ?? []));
      for (const { tx } of diff.applied) if (tx.unsigned.kind === 'CreateAssetTx') rows.asset.push(...(assetRow(tx) ?? []));
      const { applied } = diff;
      return {
        block,
        firstTx,
        applied,
        created,
        consumed,
        deltas,
        preLinearizationUtxos: preLinearization,
        imported: imported ?? new Map(),
      };
    },
  };
}

const preLinearizationRow = (utxo: Utxo, seq: number): NumberedUtxo => ({ utxo, seq, height: 0, bytes: encodeStoredUtxo(utxo) });

const missingOutput = (id: Id) =>
  new IndexError(`the block consumes output ${idText(id)}, which does not exist`, { code: 'INDEX_MISSING_OUTPUT', utxoID: idText(id) });

const spentTwice = (id: Id) =>
  new IndexError(`the block consumes output ${idText(id)}, which is already spent`, { code: 'INDEX_SPENT_TWICE', utxoID: idText(id) });
