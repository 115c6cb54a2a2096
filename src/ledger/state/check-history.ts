import { makeBlock } from '../../avm/tx/block.ts';
import { effectsOf } from '../../avm/tx/effects.ts';
import { parseTx, type Tx } from '../../avm/tx/tx.ts';
import { refId } from '../../avm/tx/utxo.ts';
import { assetOf } from '../../avm/view.ts';
import { sha256Hex } from '../../base/bytes/hash.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idText, idToBytes } from '../../base/bytes/id.ts';
import { concat, equal } from '../../base/bytes/octets.ts';
import { maxGenesisBytes, versionSize } from '../../base/codec/pack.ts';
import type { Database, SqlValue } from '../store/database.ts';
import { type BlockSumsRow, blockSums, blockSumsColumns } from './block-row.ts';
import { type AddProblem, type CheckContext, parseOrUndefined } from './check-context.ts';
import type { Tables } from './schema.ts';
import { decodeWithoutChecksum } from './stored-utxo.ts';
import { encodeTxOutputs } from './tx-outputs.ts';
import { type FoundOutput, openUtxoTable } from './utxo-table.ts';

type BlockRow = {
  readonly height: number;
  readonly id: Uint8Array;
  readonly header: Uint8Array;
  readonly first_tx: number;
  readonly time: number;
  readonly unspent: number;
} & BlockSumsRow;
type TxRow = {
  readonly seq: number;
  readonly id: Uint8Array;
  readonly height: number;
  readonly bytes: Uint8Array;
  readonly outputs: Uint8Array | null;
};

/** Checks that blocks follow each other and hash to their IDs, and that their transactions have the expected numbers and heights. */
export function checkHistory(db: Database, t: Tables, context: CheckContext) {
  const { addProblem, readRows } = context;
  const genesisTxs = db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${t.tx} WHERE height = 0`).get()?.n ?? 0;
  const txsFrom = db.prepare<TxRow>(`SELECT * FROM ${t.tx} WHERE seq >= ? AND seq < ? ORDER BY seq`);
  const blocksFrom = db.prepare<BlockRow>(`SELECT * FROM ${t.block} WHERE height > ? ORDER BY height LIMIT ?`);
  const feeAsset = db.prepare<{ id: Uint8Array }>(`SELECT id FROM ${t.tx} WHERE seq = 1`).get();
  const checkSums = createSumsCheck(feeAsset && (toHex(feeAsset.id) as Id), addProblem);
  let previous: BlockRow | undefined;
  let nextTx = 1;
  for (const block of readRows<BlockRow>((last, limit) => blocksFrom.all(last?.height ?? -1, limit))) {
    const txs = txsFrom.all(block.first_tx, block.first_tx + block.tx_count);
    const bytes = concat([block.header, ...txs.map((tx) => tx.bytes.subarray(versionSize))]);
    if (sha256Hex(bytes) !== toHex(block.id)) addProblem(`block ${block.height} does not hash to its id`);
    if (block.height !== (previous?.height ?? -1) + 1) addProblem(`block ${block.height} does not follow ${previous?.height}`);
    if (block.first_tx !== nextTx) addProblem(`block ${block.height} begins with transaction ${block.first_tx}, not ${nextTx}`);
    if (txs.some((tx) => tx.height !== block.height)) addProblem(`a transaction of block ${block.height} has another height`);
    checkSums(block, txs);
    if (!equal(block.header, expectedHeader(block, previous))) addProblem(`the header of block ${block.height} does not match its row`);
    nextTx = block.height === 0 ? genesisTxs + 1 : block.first_tx + block.tx_count;
    previous = block;
  }
  const txs = checkTxs(db, t, context);
  if (txs !== nextTx - 1) addProblem(`there are ${txs} transactions, the blocks have ${nextTx - 1}`);
  return { last: previous && { id: toHex(previous.id) as Id, height: previous.height, unspent: previous.unspent }, txs };
}

/** Creates a function that compares the sums in the row of a block with its transactions. */
function createSumsCheck(feeAsset: Id | undefined, addProblem: AddProblem): (block: BlockRow, txs: readonly TxRow[]) => void {
  const names = blockSumsColumns.split(', ').slice(1) as (keyof BlockSumsRow)[];
  const text = (value: SqlValue) => (value instanceof Uint8Array ? toHex(value) : `${value}`);
  return (block, rows) => {
    const txs = rows.map((row) => parseOrUndefined(() => parseTx(row.bytes, maxGenesisBytes)));
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

/** Checks that transactions hash to their IDs, and that the outputs they spend are marked as spent by them. */
function checkTxs(db: Database, t: Tables, { addProblem, readRows }: CheckContext): number {
  const txsAfter = db.prepare<TxRow>(`SELECT * FROM ${t.tx} WHERE seq > ? ORDER BY seq LIMIT ?`);
  const utxos = openUtxoTable(db, t, { caching: false, epoch: () => 0 });
  const timeAt = db.prepare<{ time: number }>(`SELECT time FROM ${t.block} WHERE height = ?`);
  const spender = db.prepare<{ tx: number }>(`SELECT tx FROM ${t.spend} WHERE utxo = ?`);
  const checkAsset = createAssetCheck(db, t, addProblem);
  let count = 0;
  let assets = 0;
  let spends = 0;
  for (const row of readRows<TxRow>((last, limit) => txsAfter.all(last?.seq ?? 0, limit))) {
    count++;
    if (row.seq !== count) addProblem(`transaction ${row.seq} has the wrong number, expected ${count}`);
    const tx = parseOrUndefined(() => parseTx(row.bytes, maxGenesisBytes));
    if (tx?.id !== toHex(row.id)) addProblem(`transaction ${row.seq} does not hash to its id`);
    if (tx === undefined) continue;
    const { spent } = effectsOf(tx);
    spends += spent.length;
    const found = new Map<Id, FoundOutput | undefined>();
    for (const ref of spent) {
      const output = parseOrUndefined(() => utxos.find(ref));
      found.set(refId(ref), output);
      if (output === undefined || spender.get(output.seq)?.tx !== row.seq)
        addProblem(`output ${idText(refId(ref))} is not marked as spent by transaction ${row.seq}`);
    }
    if (!hasStoredOutputs(row, tx, found, (height) => timeAt.get(height)?.time ?? 0))
      addProblem(`what is stored about the outputs of transaction ${row.seq} differs from its outputs`);
    if (checkAsset(tx)) assets++;
  }
  const marked = db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${t.spend}`).get()?.n;
  if (marked !== spends) addProblem(`${marked} outputs are marked as spent, transactions spend ${spends}`);
  const storedAssets = db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${t.asset}`).get()?.n;
  // There may be more: assets from before linearization.
  if (storedAssets === undefined || storedAssets < assets) addProblem(`there are ${storedAssets} assets, transactions created ${assets}`);
  return count;
}

/** Whether the column `outputs` of a transaction is what the outputs it consumes give. Without it they are looked up. */
function hasStoredOutputs(
  { outputs, height }: TxRow,
  tx: Tx,
  consumed: ReadonlyMap<Id, FoundOutput | undefined>,
  timeAt: (height: number) => number,
): boolean {
  if (outputs === null) return true;
  // Only the genesis may have unknown outputs.
  if (outputs.length === 0) return height === 0;
  const expected = encodeTxOutputs(tx, (id) => {
    const row = consumed.get(id);
    const utxo = row && parseOrUndefined(() => decodeWithoutChecksum(row.bytes));
    return utxo && { utxo, time: timeAt(row.height) };
  });
  return expected !== null && equal(expected, outputs);
}

/** Creates a function that returns whether a transaction creates an asset, and compares the asset's row if it does. */
function createAssetCheck(db: Database, t: Tables, addProblem: AddProblem): (tx: Tx) => boolean {
  const assetById = db.prepare<{ fxs: string; name: Uint8Array; symbol: Uint8Array; denomination: number }>(
    `SELECT * FROM ${t.asset} WHERE id = ?`,
  );
  return (tx) => {
    const asset = assetOf(tx);
    if (asset === 'not-an-asset' || tx.unsigned.kind !== 'CreateAssetTx') return false;
    const row = assetById.get(idToBytes(tx.id));
    const { name, symbol, denomination } = tx.unsigned;
    const same =
      row?.fxs === asset.fxs.join(' ') && equal(row.name, name) && equal(row.symbol, symbol) && row.denomination === denomination;
    if (!same) addProblem(`asset ${tx.id} differs from what its transaction created`);
    return true;
  };
}
