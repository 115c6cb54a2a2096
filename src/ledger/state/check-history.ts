import { makeBlock } from '../../avm/tx/block.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import { sha256Hex } from '../../base/bytes/hash.ts';
import { toHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import { concat, equal } from '../../base/bytes/octets.ts';
import { versionSize } from '../../base/codec/pack.ts';
import type { Database, SqlValue } from '../store/database.ts';
import { type BlockSumsRow, blockSums, blockSumsColumns } from './block-row.ts';
import type { AddProblem, CheckContext } from './check-context.ts';
import { createTxCheck, findWrongSpends, type TxRow } from './check-txs.ts';
import type { Tables } from './schema.ts';

type BlockRow = {
  readonly height: number;
  readonly id: Uint8Array;
  readonly header: Uint8Array;
  readonly first_tx: number;
  readonly time: number;
  readonly unspent: number;
} & BlockSumsRow;

/**
 * The part of `serac check` (check.ts) that reads all blocks and transactions of a chain, each once and in their order: blocks must follow each other
 * and hash to their IDs, their transactions must pass `createTxCheck`. Problems go to `addProblem`. Returns the last block and sums, which check.ts
 * compares with other tables.
 */
export function checkHistory(db: Database, t: Tables, context: CheckContext) {
  const { addProblem, readRows } = context;
  const genesisTxs = db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${t.tx} WHERE height = 0`).get()?.n ?? 0;
  const txsAfter = db.prepare<TxRow>(`SELECT * FROM ${t.tx} WHERE seq > ? ORDER BY seq LIMIT ?`);
  const blocksFrom = db.prepare<BlockRow>(`SELECT * FROM ${t.block} WHERE height > ? ORDER BY height LIMIT ?`);
  const feeAsset = db.prepare<{ id: Uint8Array }>(`SELECT id FROM ${t.tx} WHERE seq = 1`).get();
  const checkSums = createSumsCheck(feeAsset && (toHex(feeAsset.id) as Id), addProblem);
  const txCheck = createTxCheck(db, t, context);
  const txRows = readRows<TxRow>((last, limit) => txsAfter.all(last?.seq ?? 0, limit));
  /** The next transactions, at most `count`. */
  const takeRows = (count: number): TxRow[] => {
    const rows: TxRow[] = [];
    for (let next = count > 0 ? txRows.next() : undefined; next !== undefined && next.done !== true; ) {
      rows.push(next.value);
      next = rows.length < count ? txRows.next() : undefined;
    }
    return rows;
  };
  let previous: BlockRow | undefined;
  let nextTx = 1;
  txCheck.checkOld();
  for (const block of readRows<BlockRow>((last, limit) => blocksFrom.all(last?.height ?? -1, limit))) {
    // The transactions of the genesis are in no block.
    if (block.height === 0) for (const row of takeRows(genesisTxs)) txCheck.check(row, block.time);
    const rows = takeRows(block.tx_count);
    const txs = rows.map((row) => txCheck.check(row, block.time));
    const bytes = concat([block.header, ...rows.map((tx) => tx.bytes.subarray(versionSize))]);
    if (sha256Hex(bytes) !== toHex(block.id)) addProblem(`block ${block.height} does not hash to its id`);
    if (block.height !== (previous?.height ?? -1) + 1) addProblem(`block ${block.height} does not follow ${previous?.height}`);
    if (block.first_tx !== nextTx) addProblem(`block ${block.height} begins with transaction ${block.first_tx}, not ${nextTx}`);
    if (rows.some((tx) => tx.height !== block.height)) addProblem(`a transaction of block ${block.height} has another height`);
    checkSums(block, txs);
    if (!equal(block.header, expectedHeader(block, previous))) addProblem(`the header of block ${block.height} does not match its row`);
    nextTx = block.height === 0 ? genesisTxs + 1 : nextTx + block.tx_count;
    previous = block;
  }
  // Transactions after those of the last block should not exist; their number is compared below.
  for (const row of txRows) txCheck.check(row, 0);
  const sums = txCheck.finish();
  if (!sums.spendsMatch) findWrongSpends(db, t, context);
  if (sums.txs !== nextTx - 1) addProblem(`there are ${sums.txs} transactions, the blocks have ${nextTx - 1}`);
  return { last: previous && { id: toHex(previous.id) as Id, height: previous.height, unspent: previous.unspent }, ...sums };
}

/** Creates a function that compares the sums in the row of a block with its transactions. */
function createSumsCheck(feeAsset: Id | undefined, addProblem: AddProblem): (block: BlockRow, txs: readonly (Tx | undefined)[]) => void {
  const names = blockSumsColumns.split(', ').slice(1) as (keyof BlockSumsRow)[];
  const text = (value: SqlValue) => (value instanceof Uint8Array ? toHex(value) : `${value}`);
  return (block, txs) => {
    // A damaged transaction is reported elsewhere.
    if (!txs.every((tx) => tx !== undefined)) return;
    const expected = blockSums(txs, feeAsset);
    if (names.some((name, i) => text(block[name]) !== text(expected[i] ?? null)))
      addProblem(`the sums of block ${block.height} do not match its transactions`);
  };
}

/** Builds the header that a block must have from its row and its parent's row. The parent ID of block 0 is taken from its own header. */
function expectedHeader(block: BlockRow, parent: BlockRow | undefined): Uint8Array {
  const parentID = toHex(parent?.id ?? block.header.subarray(6, 38)) as Id;
  const header = makeBlock({ parentID, height: BigInt(block.height), time: BigInt(block.time), txs: [] }).bytes;
  new DataView(header.buffer, header.byteOffset).setUint32(header.length - 4, block.tx_count);
  return header;
}
