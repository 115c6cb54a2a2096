import type { Tx } from '../../avm/tx/tx.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { tablesOf } from '../state/schema.ts';
import { parseStoredTx } from '../state/stored-tx.ts';
import { explorerTablesOf } from './explorer-tables.ts';
import { sumFromBytes, sumToBytes } from './output-amount.ts';
import type { SqlValue } from './sql.ts';
import { fetchRows, type Query, type Steps } from './steps.ts';
import { indexTablesOf } from './tables.ts';
import { addMinted, blockSums, type MintedSum } from './tx-sums.ts';

/** Fills the tables of the explorer routes from the rows of the blocks that are already indexed. Needs memory for one entry per asset. */
export function* addExplorerRows(chain: number, onTx: (seq: number) => void): Steps<void> {
  const progress = 'SELECT p.height FROM progress p JOIN chain c ON c.id = p.chain WHERE c.number = ?';
  const [indexed] = yield* fetchRows<{ height: number }>([{ text: progress, values: [chain] }]);
  // Blocks that are not indexed yet will be written with these rows.
  if (indexed === undefined) return;
  const counts = new Map<string, AssetSums>();
  yield* addHolders(chain, counts);
  yield* addBlockSums(chain, indexed.height, counts, onTx);
  const { assetCount } = explorerTablesOf(chain);
  for (const [asset, { holders, held, minted }] of counts)
    yield [
      {
        text: `INSERT INTO ${assetCount}(asset, holders, held, minted, minted_nfts) VALUES (?, ?, ?, ?, ?)`,
        values: [idToBytes(asset as Id), holders, sumToBytes(held), sumToBytes(minted.units), minted.nfts],
      },
    ];
}

type AssetSums = { holders: number; held: bigint; minted: MintedSum };

const sumsOf = (counts: Map<string, AssetSums>, asset: string): AssetSums => {
  const sums = counts.get(asset) ?? { holders: 0, held: 0n, minted: { units: 0n, nfts: 0 } };
  counts.set(asset, sums);
  return sums;
};

/** Rows per statement: bounds the time of each, however long the chain is. */
const batchSize = 4096;

/** Sums up the newest balance of every lock time. The rows come in the order of address, asset, lock time and height. */
function* addHolders(chain: number, counts: Map<string, AssetSums>): Steps<void> {
  const { balance } = indexTablesOf(chain);
  const { assetHolder } = explorerTablesOf(chain);
  const text = `SELECT address, asset, locktime, height, amount, nfts FROM ${balance}
    WHERE (address, asset, locktime, height) > (?, ?, ?, ?) ORDER BY address, asset, locktime, height LIMIT ${batchSize}`;
  let after: readonly SqlValue[] = [noBytes, noBytes, noBytes, -1];
  let sum: { readonly address: Uint8Array; readonly asset: Uint8Array; amount: bigint; nfts: number } | undefined;
  let last: BalanceRow | undefined;
  const queries: Query[] = [];
  const endLocktime = (): void => {
    if (last === undefined || sum === undefined) return;
    sum.amount += sumFromBytes(last.amount);
    sum.nfts += last.nfts;
    last = undefined;
  };
  const endHolder = (): void => {
    endLocktime();
    if (sum === undefined || (sum.amount === 0n && sum.nfts === 0)) return;
    const { address, asset, amount, nfts } = sum;
    const sums = sumsOf(counts, toHex(asset));
    sums.holders++;
    sums.held += amount;
    const values = [asset, address, sumToBytes(amount), nfts];
    queries.push({ text: `INSERT INTO ${assetHolder}(asset, address, amount, nfts) VALUES (?, ?, ?, ?)`, values });
  };
  for (;;) {
    const rows: readonly BalanceRow[] = yield* fetchRows<BalanceRow>([{ text, values: after }]);
    for (const row of rows) {
      if (sum === undefined || !isEqual(sum.address, row.address) || !isEqual(sum.asset, row.asset)) {
        endHolder();
        sum = { address: row.address, asset: row.asset, amount: 0n, nfts: 0 };
      } else if (last !== undefined && !isEqual(last.locktime, row.locktime)) endLocktime();
      last = row;
      after = [row.address, row.asset, row.locktime, row.height];
    }
    if (rows.length < batchSize) endHolder();
    yield queries.splice(0);
    if (rows.length < batchSize) return;
  }
}

type BalanceRow = {
  readonly address: Uint8Array;
  readonly asset: Uint8Array;
  readonly locktime: Uint8Array;
  readonly height: number;
  readonly amount: Uint8Array;
  readonly nfts: number;
};

const noBytes = new Uint8Array(0);

const isEqual = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** Reads all transactions once, for the sums of their blocks and for what they mint. The first transaction of a chain creates its fee asset. */
function* addBlockSums(chain: number, lastHeight: number, counts: Map<string, AssetSums>, onTx: (seq: number) => void): Steps<void> {
  const { blockStat } = explorerTablesOf(chain);
  const minted = new Map<Id, MintedSum>();
  let feeAsset: Id | undefined;
  let height = 0;
  let txs: Tx[] = [];
  const queries: Query[] = [];
  const endBlock = (): void => {
    if (height === 0 || feeAsset === undefined) return;
    const { bytes, fees, kinds } = blockSums(txs, feeAsset);
    queries.push({
      text: `INSERT INTO ${blockStat}(height, bytes, fees, base, create_asset, operation, import, export) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      values: [height, bytes, sumToBytes(fees), ...kinds],
    });
    txs = [];
  };
  const text = `SELECT seq, id, bytes, height FROM ${tablesOf(chain).tx} WHERE seq > ? AND height <= ? ORDER BY seq LIMIT ${batchSize}`;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const rows: readonly TxRow[] = yield* fetchRows<TxRow>([{ text, values: [after, lastHeight] }]);
    for (const row of rows) {
      const tx = parseStoredTx(row);
      feeAsset ??= tx.id;
      addMinted(minted, tx);
      if (row.height !== height) endBlock();
      height = row.height;
      if (height > 0) txs.push(tx);
    }
    after = rows[batchSize - 1]?.seq;
    if (after !== undefined) onTx(after);
    if (after === undefined) endBlock();
    yield queries.splice(0);
  }
  for (const [asset, sum] of minted) sumsOf(counts, asset).minted = sum;
}

type TxRow = { readonly seq: number; readonly id: Uint8Array; readonly bytes: Uint8Array; readonly height: number };
