import type { Block } from '../../avm/tx/block.ts';
import { parseTx, type Tx } from '../../avm/tx/tx.ts';
import { type Asset, assetOf } from '../../avm/view.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idFromBytes, idOf, idText, idToBytes } from '../../base/bytes/id.ts';
import { concat } from '../../base/bytes/octets.ts';
import { createCache } from '../../base/cache/cache.ts';
import { maxGenesisBytes, versionSize } from '../../base/codec/pack.ts';
import { bulkInsert } from '../store/bulk-insert.ts';
import type { Database, SqlValue } from '../store/database.ts';
import type { BlockChange } from './block-change.ts';
import { blockColumns as blockColumnCount, blockRow } from './block-row.ts';
import { damagedRow, type StateError } from './fault.ts';
import type { Tables } from './schema.ts';

export type AcceptedBlock = { readonly id: Id; readonly height: bigint; readonly time: bigint };

/** Name, symbol and denomination of an asset, from the transaction that created it. */
type AssetMetadata = { readonly name: Uint8Array; readonly symbol: Uint8Array; readonly denomination: number };

/** Accepted blocks, transactions and assets. They never change within an epoch, so any process may cache them. */
export type History = {
  readonly last: () => (AcceptedBlock & { readonly unspent: number }) | undefined;
  readonly block: (id: Id) => Uint8Array | undefined;
  readonly blockAt: (height: bigint) => Uint8Array | undefined;
  readonly blockIdAt: (height: bigint) => Id | undefined;
  readonly tx: (id: Id) => Tx | undefined;
  readonly txBytes: (id: Id) => Uint8Array | undefined;
  readonly txHeight: (id: Id) => bigint | undefined;
  readonly hasTx: (id: Id) => boolean;
  readonly asset: (id: Id) => Asset | 'not-an-asset' | undefined;
  readonly description: (assetID: Id) => AssetMetadata | 'not-an-asset' | undefined;
  /** At most `limit` assets with this symbol, in the order of their IDs. Reads the names of all assets. */
  readonly findAssetsBySymbol: (symbol: string, limit: number) => readonly Id[];
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
  const blockColumns = `SELECT id, header, first_tx, tx_count FROM ${t.block}`;
  const blockById = db.prepare<BlockRow>(`${blockColumns} WHERE id = ?`);
  const idByHeight = db.prepare<{ id: Uint8Array }>(`SELECT id FROM ${t.block} WHERE height = ?`);
  const timeByHeight = db.prepare<{ time: number }>(`SELECT time FROM ${t.block} WHERE height = ?`);
  const blockByHeight = db.prepare<BlockRow>(`${blockColumns} WHERE height = ?`);
  // A block contains transactions without their codec version.
  const bodiesFrom = db.prepare<{ body: Uint8Array }>(
    `SELECT substr(bytes, ${versionSize + 1}) AS body FROM ${t.tx} WHERE seq >= ? AND seq < ? ORDER BY seq`,
  );
  const txById = db.prepare<{ bytes: Uint8Array }>(`SELECT bytes FROM ${t.tx} WHERE id = ?`);
  const heightById = db.prepare<{ height: number }>(`SELECT height FROM ${t.tx} WHERE id = ?`);
  const seqById = db.prepare<{ seq: number }>(`SELECT seq FROM ${t.tx} WHERE id = ?`);
  const lastTx = db.prepare<{ seq: number | null }>(`SELECT max(seq) AS seq FROM ${t.tx}`);
  const firstTx = db.prepare<{ id: Uint8Array }>(`SELECT id FROM ${t.tx} WHERE seq = 1`);
  const assetById = db.prepare<AssetRow>(`SELECT fxs, name, symbol, denomination FROM ${t.asset} WHERE id = ?`);
  const assetsBySymbol = db.prepare<{ id: Uint8Array }>(`SELECT id FROM ${t.asset} WHERE symbol = ? ORDER BY id LIMIT ?`);
  const insertBlockRows = bulkInsert(db, `INSERT INTO ${t.block}`, blockColumnCount);
  const insertTxRows = bulkInsert(db, `INSERT INTO ${t.tx}`, 5);
  const insertAsset = db.prepare(`INSERT INTO ${t.asset} VALUES (?, ?, ?, ?, ?)`);
  const insertAssetIfMissing = db.prepare(`INSERT OR IGNORE INTO ${t.asset} VALUES (?, ?, ?, ?, ?)`);
  const addToUnspent = db.prepare(`UPDATE ${t.block} SET unspent = unspent + ? WHERE height = (SELECT max(height) FROM ${t.block})`);
  const setUnspent = db.prepare(`UPDATE ${t.block} SET unspent = ? WHERE height = 0`);
  const txs = createCache<Id, Tx>('decodedTxs', { size: (_, tx) => tx.bytes.length * decodedFactor, version: epoch });
  const assets = createCache<Id, Asset>('assets', { size: assetSize, version: epoch });

  /** The ID of the first genesis transaction. AvalancheGo: vms/avm/vm.go, initGenesis. */
  const readFeeAsset = (): Id | undefined => {
    const row = firstTx.get();
    return row && idFromBytes(row.id);
  };
  let feeAsset: Id | undefined;

  const assembleBlock = (row: BlockRow | undefined, requested?: Id): Uint8Array | undefined => {
    if (row === undefined) return undefined;
    const bodies = bodiesFrom.all(row.first_tx, row.first_tx + row.tx_count);
    const bytes = concat([row.header, ...bodies.map(({ body }) => body)]);
    const id = toHex(row.id) as Id;
    if ((requested ?? id) !== id || idOf(bytes) !== id) throw damaged(`block ${idText(requested ?? id)}`);
    return bytes;
  };
  const txBytes = (id: Id): Uint8Array | undefined => {
    const bytes = txById.get(idToBytes(id))?.bytes;
    if (bytes !== undefined && idOf(bytes) !== id) throw damaged(`transaction ${idText(id)}`);
    return bytes;
  };
  const insertTxs = (blocks: readonly NumberedBlock[]): void => {
    const rows: SqlValue[] = [];
    for (const { block, applied, firstTx, txOutputs } of blocks)
      applied.forEach(({ tx }, i) => {
        rows.push(firstTx + i, idToBytes(tx.id), Number(block.height), tx.bytes, txOutputs[i] ?? null);
      });
    insertTxRows(rows);
    for (const { applied } of blocks)
      for (const { tx } of applied) {
        const row = assetRow(tx);
        if (row !== undefined) insertAsset.run(...row);
      }
  };
  const hasTx = (id: Id) => seqById.get(idToBytes(id)) !== undefined;
  const notAnAsset = (id: Id) => (hasTx(id) ? 'not-an-asset' : undefined);

  return {
    last: () => {
      const row = lastRow.get();
      return row && { id: idFromBytes(row.id), height: BigInt(row.height), time: BigInt(row.time), unspent: row.unspent };
    },
    block: (id) => assembleBlock(blockById.get(idToBytes(id)), id),
    blockAt: (height) => (height > Number.MAX_SAFE_INTEGER ? undefined : assembleBlock(blockByHeight.get(Number(height)))),
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
    txHeight: (id) => {
      const row = heightById.get(idToBytes(id));
      return row && BigInt(row.height);
    },
    asset: (id) => {
      const cached = assets.get(id);
      if (cached !== undefined) return cached;
      const madeAt = assets.version();
      const row = assetById.get(idToBytes(id));
      if (row === undefined) return notAnAsset(id);
      const asset = { id, fxs: row.fxs.split(' ').filter(Boolean).map(Number) };
      assets.set(id, asset, madeAt);
      return asset;
    },
    description: (id) => {
      const row = assetById.get(idToBytes(id));
      return row === undefined ? notAnAsset(id) : { name: row.name, symbol: row.symbol, denomination: row.denomination };
    },
    findAssetsBySymbol: (symbol, limit) => assetsBySymbol.all(Buffer.from(symbol), limit).map(({ id }) => idFromBytes(id)),
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
      for (const tx of created) {
        const row = assetRow(tx);
        if (row !== undefined) insertAssetIfMissing.run(...row);
      }
    },
    addUnspent: (count) => addToUnspent.run(count),
  };
}

/** Bytes in memory of a decoded transaction per byte of it, and of a cached asset. */
const decodedFactor = 12;
const assetSize = 350;

function assetRow(tx: Tx): SqlValue[] | undefined {
  const asset = assetOf(tx);
  if (asset === 'not-an-asset' || tx.unsigned.kind !== 'CreateAssetTx') return undefined;
  const { name, symbol, denomination } = tx.unsigned;
  return [idToBytes(tx.id), asset.fxs.join(' '), name, symbol, denomination];
}

type BlockRow = { readonly id: Uint8Array; readonly header: Uint8Array; readonly first_tx: number; readonly tx_count: number };

type AssetRow = { readonly fxs: string; readonly name: Uint8Array; readonly symbol: Uint8Array; readonly denomination: number };
