import { sha256Hex } from '../bytes/hash.ts';
import { toHex } from '../bytes/hex.ts';
import type { Id } from '../bytes/id.ts';
import { concat, equal } from '../bytes/octets.ts';
import { maxGenesisBytes, versionSize } from '../codec/pack.ts';
import type { Database } from '../store/database.ts';
import { makeBlock } from '../tx/block.ts';
import { parseTx } from '../tx/tx.ts';
import { type Complain, piecewise, readable } from './check-walk.ts';
import type { Tables } from './schema.ts';
import { assetOf } from './view.ts';

type BlockRow = {
  readonly height: number;
  readonly id: Uint8Array;
  readonly header: Uint8Array;
  readonly first_tx: number;
  readonly tx_count: number;
  readonly time: number;
  readonly unspent: number;
};
type TxRow = { readonly seq: number; readonly id: Uint8Array; readonly height: number; readonly bytes: Uint8Array };

/** Blocks follow each other and hash to their ids; transactions stand where their blocks say. */
export function checkHistory(db: Database, t: Tables, complain: Complain) {
  const genesisTxs = db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${t.tx} WHERE height = 0`).get()?.n ?? 0;
  const txsFrom = db.prepare<TxRow>(`SELECT * FROM ${t.tx} WHERE seq >= ? AND seq < ? ORDER BY seq`);
  const blocksFrom = db.prepare<BlockRow>(`SELECT * FROM ${t.block} WHERE height > ? ORDER BY height LIMIT ?`);
  let previous: BlockRow | undefined;
  let nextTx = 1;
  for (const block of piecewise<BlockRow>((last, limit) => blocksFrom.all(last?.height ?? -1, limit))) {
    const txs = txsFrom.all(block.first_tx, block.first_tx + block.tx_count);
    const bytes = concat([block.header, ...txs.map((tx) => tx.bytes.subarray(versionSize))]);
    if (sha256Hex(bytes) !== toHex(block.id)) complain(`block ${block.height} does not hash to its id`);
    if (block.height !== (previous?.height ?? -1) + 1) complain(`block ${block.height} does not follow ${previous?.height}`);
    if (block.first_tx !== nextTx) complain(`block ${block.height} begins with transaction ${block.first_tx}, not ${nextTx}`);
    if (txs.some((tx) => tx.height !== block.height)) complain(`a transaction of block ${block.height} has another height`);
    if (!equal(block.header, headerOf(block, previous))) complain(`the header of block ${block.height} does not match its row`);
    nextTx = block.height === 0 ? genesisTxs + 1 : block.first_tx + block.tx_count;
    previous = block;
  }
  const txs = checkTxs(db, t, complain);
  if (txs !== nextTx - 1) complain(`there are ${txs} transactions, the blocks have ${nextTx - 1}`);
  return { last: previous && { id: toHex(previous.id) as Id, height: previous.height, unspent: previous.unspent }, txs };
}

/** The header a block must have, from its row and its parent's; block 0's parent is nowhere, so it is taken as it is. */
function headerOf(block: BlockRow, parent: BlockRow | undefined): Uint8Array {
  const parentID = toHex(parent?.id ?? block.header.subarray(6, 38)) as Id;
  const header = makeBlock({ parentID, height: BigInt(block.height), time: BigInt(block.time), txs: [] }).bytes;
  new DataView(header.buffer, header.byteOffset).setUint32(header.length - 4, block.tx_count);
  return header;
}

function checkTxs(db: Database, t: Tables, complain: Complain): number {
  const txsAfter = db.prepare<TxRow>(`SELECT * FROM ${t.tx} WHERE seq > ? ORDER BY seq LIMIT ?`);
  const assetById = db.prepare<{ fxs: string; name: Uint8Array; symbol: Uint8Array; denomination: number }>(
    `SELECT * FROM ${t.asset} WHERE id = ?`,
  );
  let count = 0;
  let assets = 0;
  for (const row of piecewise<TxRow>((last, limit) => txsAfter.all(last?.seq ?? 0, limit))) {
    count++;
    if (row.seq !== count) complain(`transaction ${row.seq} stands at ${count}`);
    const tx = readable(() => parseTx(row.bytes, maxGenesisBytes));
    if (tx?.id !== toHex(row.id)) complain(`transaction ${row.seq} does not hash to its id`);
    if (tx === undefined) continue;
    const asset = assetOf(tx);
    if (asset === 'not-an-asset' || tx.unsigned.kind !== 'CreateAssetTx') continue;
    assets++;
    const kept = assetById.get(row.id);
    const { name, symbol, denomination } = tx.unsigned;
    const same =
      kept?.fxs === asset.fxs.join(' ') && equal(kept.name, name) && equal(kept.symbol, symbol) && kept.denomination === denomination;
    if (!same) complain(`asset ${tx.id} is not as its transaction made it`);
  }
  const kept = db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${t.asset}`).get()?.n;
  // There may be more: assets older than history.
  if (kept === undefined || kept < assets) complain(`there are ${kept} assets, transactions made ${assets}`);
  return count;
}
