import { sha256Hex } from '../bytes/hash.ts';
import { toHex } from '../bytes/hex.ts';
import { type Id, idText, idToBytes } from '../bytes/id.ts';
import { concat, equal } from '../bytes/octets.ts';
import { maxGenesisBytes, versionSize } from '../codec/pack.ts';
import type { Database } from '../store/database.ts';
import { makeBlock } from '../tx/block.ts';
import { effectsOf } from '../tx/effects.ts';
import { parseTx, type Tx } from '../tx/tx.ts';
import { type Checking, type Complain, readable } from './check-walk.ts';
import type { Tables } from './schema.ts';
import { stored } from './stored-utxo.ts';
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
export function checkHistory(db: Database, t: Tables, checking: Checking) {
  const { complain, walk } = checking;
  const genesisTxs = db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${t.tx} WHERE height = 0`).get()?.n ?? 0;
  const txsFrom = db.prepare<TxRow>(`SELECT * FROM ${t.tx} WHERE seq >= ? AND seq < ? ORDER BY seq`);
  const blocksFrom = db.prepare<BlockRow>(`SELECT * FROM ${t.block} WHERE height > ? ORDER BY height LIMIT ?`);
  let previous: BlockRow | undefined;
  let nextTx = 1;
  for (const block of walk<BlockRow>((last, limit) => blocksFrom.all(last?.height ?? -1, limit))) {
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
  const txs = checkTxs(db, t, checking);
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

/** Transactions hash to their ids, and what each of them creates and spends is what the tables say. */
function checkTxs(db: Database, t: Tables, { complain, walk }: Checking): number {
  const txsAfter = db.prepare<TxRow>(`SELECT * FROM ${t.tx} WHERE seq > ? ORDER BY seq LIMIT ?`);
  const outputById = db.prepare<OutputRow>(
    `SELECT u.height, u.bytes, s.tx AS spent FROM ${t.utxo} u LEFT JOIN ${t.spend} s ON s.utxo = u.seq WHERE u.id = ?`,
  );
  const checkAsset = assetCheck(db, t, complain);
  let count = 0;
  let assets = 0;
  let spends = 0;
  for (const row of walk<TxRow>((last, limit) => txsAfter.all(last?.seq ?? 0, limit))) {
    count++;
    if (row.seq !== count) complain(`transaction ${row.seq} stands at ${count}`);
    const tx = readable(() => parseTx(row.bytes, maxGenesisBytes));
    if (tx?.id !== toHex(row.id)) complain(`transaction ${row.seq} does not hash to its id`);
    if (tx === undefined) continue;
    const { created, spent } = effectsOf(tx);
    for (const utxo of created) {
      const output = outputById.get(idToBytes(utxo.id));
      // A chain whose history begins later does not have what its genesis made.
      if (output === undefined && row.height === 0) continue;
      if (output?.height !== row.height || !equal(output.bytes, stored(utxo)))
        complain(`output ${idText(utxo.id)} is not as transaction ${row.seq} made it`);
    }
    spends += spent.length;
    for (const id of spent)
      if (outputById.get(idToBytes(id))?.spent !== row.seq)
        complain(`output ${idText(id)} is not marked as spent by transaction ${row.seq}`);
    if (checkAsset(tx)) assets++;
  }
  const marked = db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${t.spend}`).get()?.n;
  if (marked !== spends) complain(`${marked} outputs are marked as spent, transactions spend ${spends}`);
  const kept = db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${t.asset}`).get()?.n;
  // There may be more: assets older than history.
  if (kept === undefined || kept < assets) complain(`there are ${kept} assets, transactions made ${assets}`);
  return count;
}

type OutputRow = { readonly height: number; readonly bytes: Uint8Array; readonly spent: number | null };

/** Whether a transaction creates an asset; its row is compared. */
function assetCheck(db: Database, t: Tables, complain: Complain): (tx: Tx) => boolean {
  const assetById = db.prepare<{ fxs: string; name: Uint8Array; symbol: Uint8Array; denomination: number }>(
    `SELECT * FROM ${t.asset} WHERE id = ?`,
  );
  return (tx) => {
    const asset = assetOf(tx);
    if (asset === 'not-an-asset' || tx.unsigned.kind !== 'CreateAssetTx') return false;
    const kept = assetById.get(idToBytes(tx.id));
    const { name, symbol, denomination } = tx.unsigned;
    const same =
      kept?.fxs === asset.fxs.join(' ') && equal(kept.name, name) && equal(kept.symbol, symbol) && kept.denomination === denomination;
    if (!same) complain(`asset ${tx.id} is not as its transaction made it`);
    return true;
  };
}
