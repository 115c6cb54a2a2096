import type { Block } from '../../avm/tx/block.ts';
import { parseTx, type Tx } from '../../avm/tx/tx.ts';
import type { View } from '../../avm/view.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idFromBytes, idOf, idText, idToBytes } from '../../base/bytes/id.ts';
import { concat } from '../../base/bytes/octets.ts';
import { createCache } from '../../base/cache/cache.ts';
import { maxGenesisBytes, versionSize } from '../../base/codec/pack.ts';
import { bulkInsert } from '../store/bulk-insert.ts';
import type { Database, SqlValue } from '../store/database.ts';
import { type AssetReads, openAssetTable } from './asset-table.ts';
import type { BlockChange } from './block-change.ts';
import { blockColumns, blockRow } from './block-row.ts';
import { damagedRow, type StateError } from './fault.ts';
import type { Tables } from './schema.ts';

export type AcceptedBlock = { readonly id: Id; readonly height: bigint; readonly time: bigint };

/** The last accepted block, and the number of unspent outputs after it. */
export type LastBlock = AcceptedBlock & { readonly unspent: number };

/** Reads of accepted blocks and transactions. They never change within an epoch, so any process may cache them. */
export type HistoryReads = AssetReads & {
  readonly block: (id: Id) => Uint8Array | undefined;
  readonly blockAt: (height: bigint) => Uint8Array | undefined;
  readonly blockIdAt: (height: bigint) => Id | undefined;
  readonly txBytes: (id: Id) => Uint8Array | undefined;
  readonly hasTx: (id: Id) => boolean;
};

/** Accepted blocks, transactions and assets, and how they are stored. */
export type History = HistoryReads &
  Pick<View, 'tx' | 'asset'> & {
    readonly last: () => LastBlock | undefined;
    readonly lastTxSeq: () => number;
    /** The time of the block at a height, which must exist. */
    readonly timeAt: (height: number) => number;
    /** Inserts blocks with their transactions. */
    readonly insertBlocks: (blocks: readonly NumberedBlock[]) => void;
    /** Inserts transactions from before linearization, which are in no block but have the height of block 0. */
    readonly extendGenesis: (block: NumberedBlock) => void;
    /** Adds assets that were created before linearization; those already stored are skipped. */
    readonly insertAssets: (txs: readonly Tx[]) => void;
    /** Adds to the last block's number of unspent outputs. */
    readonly addUnspent: (count: number) => void;
  };

/** An accepted block, the number of its first transaction, and the number of unspent outputs after it. */
export type NumberedBlock = {
  readonly block: Block;
  readonly applied: readonly { readonly tx: Tx }[];
  readonly firstTx: number;
  readonly txOutputs: BlockChange['txOutputs'];
  readonly unspent: number;
};

/** Returns the number of reverts so far; see `Store`. Data cached in an earlier epoch may no longer be accepted. */
type Epoch = () => number;

/** Opens the history tables of a chain. `damaged` creates the error for a row that does not match its ID. */
export function openHistory(db: Database, t: Tables, epoch: Epoch, damaged: (row: string) => StateError = damagedRow): History {
  const lastRow = db.prepare<{ id: Uint8Array; height: number; time: number; unspent: number }>(
    `SELECT id, height, time, unspent FROM ${t.block} ORDER BY height DESC LIMIT 1`,
  );
  const idByHeight = db.prepare<{ id: Uint8Array }>(`SELECT id FROM ${t.block} WHERE height = ?`);
  const timeByHeight = db.prepare<{ time: number }>(`SELECT time FROM ${t.block} WHERE height = ?`);
  const txById = db.prepare<{ bytes: Uint8Array }>(`SELECT bytes FROM ${t.tx} WHERE id = ?`);
  const seqById = db.prepare<{ seq: number }>(`SELECT seq FROM ${t.tx} WHERE id = ?`);
  const lastTx = db.prepare<{ seq: number | null }>(`SELECT max(seq) AS seq FROM ${t.tx}`);
  const firstTx = db.prepare<{ id: Uint8Array }>(`SELECT id FROM ${t.tx} WHERE seq = 1`);
  const insertBlockRows = bulkInsert(db, `INSERT INTO ${t.block}`, blockColumns);
  const insertTxRows = bulkInsert(db, `INSERT INTO ${t.tx}`, 5);
  const addToUnspent = db.prepare(`UPDATE ${t.block} SET unspent = unspent + ? WHERE height = (SELECT max(height) FROM ${t.block})`);
  const setUnspent = db.prepare(`UPDATE ${t.block} SET unspent = ? WHERE height = 0`);
  const txs = createCache<Id, Tx>('decodedTxs', { size: (_, tx) => tx.bytes.length * decodedFactor, version: epoch });
  const hasTx = (id: Id) => seqById.get(idToBytes(id)) !== undefined;
  const { insert: insertAsset, ...assets } = openAssetTable(db, t, epoch, hasTx);

  /** The ID of the first genesis transaction. AvalancheGo: vms/avm/vm.go, initGenesis. */
  const readFeeAsset = (): Id | undefined => {
    const row = firstTx.get();
    return row && idFromBytes(row.id);
  };
  let feeAsset: Id | undefined;

  const txBytes = (id: Id): Uint8Array | undefined => {
    const bytes = txById.get(idToBytes(id))?.bytes;
    if (bytes !== undefined && idOf(bytes) !== id) throw damaged(`transaction ${idText(id)}`);
    return bytes;
  };
  const insertTxs = (blocks: readonly NumberedBlock[]): void => {
    insertTxRows(txRows(blocks));
    for (const { applied } of blocks) for (const { tx } of applied) insertAsset(tx);
  };

  return {
    ...assets,
    last: () => {
      const row = lastRow.get();
      return row && { id: idFromBytes(row.id), height: BigInt(row.height), time: BigInt(row.time), unspent: row.unspent };
    },
    ...openBlocks(db, t, damaged),
    blockIdAt: (height) => {
      const row = height > Number.MAX_SAFE_INTEGER ? undefined : idByHeight.get(Number(height));
      return row && idFromBytes(row.id);
    },
    txBytes,
    hasTx,
    tx: (id) => {
      const cached = txs.get(id);
      if (cached !== undefined) return cached;
      // Taken before the read: in a reader process, a revert may be committed between the read and `set`.
      const madeAt = txs.version();
      const bytes = txBytes(id);
      if (bytes === undefined) return undefined;
      const tx = parseTx(bytes, maxGenesisBytes);
      txs.set(id, tx, madeAt);
      return tx;
    },
    lastTxSeq: () => lastTx.get()?.seq ?? 0,
    timeAt: (height) => (timeByHeight.get(height) as { time: number }).time,
    insertBlocks: (blocks) => {
      feeAsset ??= readFeeAsset();
      insertBlockRows(blocks.flatMap(({ block, firstTx, unspent }) => blockRow(block, firstTx, unspent, feeAsset)));
      insertTxs(blocks);
    },
    extendGenesis: (numbered) => {
      insertTxs([numbered]);
      setUnspent.run(numbered.unspent);
    },
    insertAssets: (created) => {
      for (const tx of created) insertAsset(tx);
    },
    addUnspent: (count) => addToUnspent.run(count),
  };
}

/** Blocks, put together of their header and their transactions. */
function openBlocks(db: Database, t: Tables, damaged: (row: string) => StateError): Pick<History, 'block' | 'blockAt'> {
  const columns = `SELECT id, header, first_tx, tx_count FROM ${t.block}`;
  const blockById = db.prepare<BlockRow>(`${columns} WHERE id = ?`);
  const blockByHeight = db.prepare<BlockRow>(`${columns} WHERE height = ?`);
  // A block contains transactions without their codec version.
  const bodiesFrom = db.prepare<{ body: Uint8Array }>(
    `SELECT substr(bytes, ${versionSize + 1}) AS body FROM ${t.tx} WHERE seq >= ? AND seq < ? ORDER BY seq`,
  );
  const assembleBlock = (row: BlockRow | undefined, requested?: Id): Uint8Array | undefined => {
    if (row === undefined) return undefined;
    const bodies = bodiesFrom.all(row.first_tx, row.first_tx + row.tx_count);
    const bytes = concat([row.header, ...bodies.map(({ body }) => body)]);
    const id = toHex(row.id) as Id;
    if ((requested ?? id) !== id || idOf(bytes) !== id) throw damaged(`block ${idText(requested ?? id)}`);
    return bytes;
  };
  return {
    block: (id) => assembleBlock(blockById.get(idToBytes(id)), id),
    blockAt: (height) => (height > Number.MAX_SAFE_INTEGER ? undefined : assembleBlock(blockByHeight.get(Number(height)))),
  };
}

/** Rows of the transactions of blocks, as a flat list of values. */
export function txRows(blocks: readonly NumberedBlock[]): SqlValue[] {
  const rows: SqlValue[] = [];
  for (const { block, applied, firstTx, txOutputs } of blocks)
    applied.forEach(({ tx }, i) => {
      rows.push(firstTx + i, idToBytes(tx.id), Number(block.height), tx.bytes, txOutputs[i] ?? null);
    });
  return rows;
}

/** Bytes in memory of a decoded transaction per byte of it. */
const decodedFactor = 12;

type BlockRow = { readonly id: Uint8Array; readonly header: Uint8Array; readonly first_tx: number; readonly tx_count: number };
