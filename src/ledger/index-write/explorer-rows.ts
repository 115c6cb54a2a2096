import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import { createCache } from '../../base/cache/cache.ts';
import { type BatchedStatement, type BatchSizes, batchedStatement, placeholders, valueTuples } from '../index/batched-statement.ts';
import { addressBlob, idBlob } from '../index/blob.ts';
import type { Dialect } from '../index/ddl.ts';
import { explorerSchema, explorerTablesOf } from '../index/explorer-tables.ts';
import { sumFromBytes, sumToBytes } from '../index/output-amount.ts';
import type { SqlValue } from '../index/sql.ts';
import { fetchRowGroups, type Query, type Steps } from '../index/steps.ts';
import type { Table } from '../index/tables.ts';
import { joinIdTexts } from '../index/tx-id-texts.ts';
import { addMinted, blockSums, type MintedSum } from '../index/tx-sums.ts';
import type { BalanceChange, BlockToIndex } from './block-facts.ts';

/** Writes the tables of the explorer routes and of lists of blocks and transactions; see index/explorer-tables.ts. */
type ExplorerRows = {
  /** The queries that add blocks. `changes`: the balance changes of each block. */
  readonly addBlocks: (blocks: readonly BlockToIndex[], changes: readonly BalanceChanges[], feeAsset: Id) => Steps<Query[]>;
  /** The queries that add balances from before linearization. */
  readonly addBalances: (changes: BalanceChanges) => Steps<Query[]>;
  /** Drops all cached rows. */
  readonly clearCache: () => void;
};

type BalanceChanges = ReadonlyMap<string, BalanceChange>;

type HolderSums = { readonly amount: bigint; readonly nfts: number };
type AssetCount = { readonly holders: number; readonly held: bigint; readonly minted: bigint; readonly mintedNfts: number };
type HolderChange = { readonly address: Address; readonly asset: Id; amount: bigint; nfts: number };

const noSums: HolderSums = { amount: 0n, nfts: 0 };
const noCount: AssetCount = { holders: 0, held: 0n, minted: 0n, mintedNfts: 0 };

/** `schema`: see `writerQueries`. */
export function createExplorerRows(dialect: Dialect, chain: number, schema: '' | `${string}.` = ''): ExplorerRows {
  const q = explorerQueries(dialect, chain, schema);
  let clears = 0;
  const version = (): number => clears;
  /** Rows that need not be read again, since no other process changes them. Keys of `holders`: address and asset. */
  const cache = {
    holders: createCache<string, HolderSums>('indexRows', { size: 450, version }),
    counts: createCache<Id, AssetCount>('indexRows', { size: 400, version }),
  };

  /** The rows before the changes, from the cache or the database. */
  function* readPrevious(changes: ReadonlyMap<string, HolderChange>, assets: ReadonlySet<Id>) {
    const holders = new Map<string, HolderSums>();
    const counts = new Map<Id, AssetCount>();
    const missing: HolderChange[] = [];
    for (const [key, change] of changes) {
      const cached = cache.holders.get(key);
      if (cached === undefined) missing.push(change);
      else holders.set(key, cached);
    }
    const missingAssets: Id[] = [];
    for (const asset of assets) {
      const cached = cache.counts.get(asset);
      if (cached === undefined) missingAssets.push(asset);
      else counts.set(asset, cached);
    }
    const rows = yield* fetchRowGroups({
      holders: q.holders(missing.flatMap(({ asset, address }) => [idBlob(asset), addressBlob(address)])),
      counts: q.counts(missingAssets.map(idBlob)),
    });
    for (const { asset, address, amount, nfts } of rows.holders as HolderRow[])
      holders.set(toHex(address) + toHex(asset), { amount: sumFromBytes(amount), nfts });
    for (const { asset, holders, held, minted, minted_nfts } of rows.counts as CountRow[])
      counts.set(toHex(asset) as Id, { holders, held: sumFromBytes(held), minted: sumFromBytes(minted), mintedNfts: minted_nfts });
    return { holders, counts };
  }

  function* change(changes: ReadonlyMap<string, HolderChange>, minted: ReadonlyMap<Id, MintedSum>): Steps<Query[]> {
    const changed = new Map([...changes].filter(([, { amount, nfts }]) => amount !== 0n || nfts !== 0));
    const assets = new Set([...minted.keys(), ...[...changed.values()].map(({ asset }) => asset)]);
    const previous = yield* readPrevious(changed, assets);
    const counts = new Map<Id, { -readonly [K in keyof AssetCount]: AssetCount[K] }>();
    for (const asset of assets) counts.set(asset, { ...(previous.counts.get(asset) ?? noCount) });
    const upserted: SqlValue[] = [];
    const removed: SqlValue[] = [];
    for (const [key, { address, asset, amount, nfts }] of changed) {
      const before = previous.holders.get(key) ?? noSums;
      const after = { amount: before.amount + amount, nfts: before.nfts + nfts };
      const count = counts.get(asset) as { holders: number; held: bigint };
      count.held += amount;
      count.holders += Number(isHolder(after)) - Number(isHolder(before));
      if (isHolder(after)) upserted.push(idBlob(asset), addressBlob(address), sumToBytes(after.amount), after.nfts);
      else removed.push(idBlob(asset), addressBlob(address));
      cache.holders.set(key, after);
    }
    for (const [asset, { units, nfts }] of minted) {
      const count = counts.get(asset) as { minted: bigint; mintedNfts: number };
      count.minted += units;
      count.mintedNfts += nfts;
    }
    const countRows: SqlValue[] = [];
    for (const [asset, count] of counts) {
      cache.counts.set(asset, count);
      countRows.push(idBlob(asset), count.holders, sumToBytes(count.held), sumToBytes(count.minted), count.mintedNfts);
    }
    return [...q.removeHolders(removed), ...q.upsertHolders(upserted), ...q.upsertCounts(countRows)];
  }

  return {
    addBlocks: function* (blocks, changes, feeAsset) {
      const holders = new Map<string, HolderChange>();
      for (const ofBlock of changes) addHolderChanges(holders, ofBlock);
      const minted = new Map<Id, MintedSum>();
      const stats: SqlValue[] = [];
      const txIds: SqlValue[] = [];
      for (const { block, applied } of blocks) {
        const txs = applied.map(({ tx }) => tx);
        for (const tx of txs) addMinted(minted, tx);
        if (block.height === 0n || txs.length === 0) continue;
        const { bytes, fees, kinds } = blockSums(txs, feeAsset);
        stats.push(Number(block.height), bytes, sumToBytes(fees), ...kinds);
        txIds.push(Number(block.height), joinIdTexts(txs.map(({ id }) => id)));
      }
      return [...(yield* change(holders, minted)), ...q.addStats(stats), ...q.addTxIds(txIds)];
    },
    addBalances: (changes) => {
      const holders = new Map<string, HolderChange>();
      addHolderChanges(holders, changes);
      return change(holders, new Map());
    },
    clearCache: () => {
      clears++;
    },
  };
}

const isHolder = ({ amount, nfts }: HolderSums): boolean => amount > 0n || nfts > 0;

/** Adds up the changes of all lock times of an address and an asset. */
function addHolderChanges(holders: Map<string, HolderChange>, changes: BalanceChanges): void {
  for (const { address, asset, amount, nfts } of changes.values()) {
    const key = address + asset;
    const holder = holders.get(key);
    if (holder === undefined) holders.set(key, { address, asset, amount, nfts });
    else {
      holder.amount += amount;
      holder.nfts += nfts;
    }
  }
}

const batchSizes: { readonly [D in Dialect]: { readonly rows: BatchSizes; readonly keys: BatchSizes } } = {
  sqlite: { rows: [16, 4, 1], keys: [1] },
  postgres: { rows: [512, 128, 32, 8, 1], keys: [128, 32, 8, 1] },
};

function explorerQueries(dialect: Dialect, chain: number, schema: string) {
  const names = explorerTablesOf(chain);
  const { rows, keys } = batchSizes[dialect];
  const insert = (name: string, table: Table, changing: readonly string[]): BatchedStatement => {
    const columns = Object.keys(table.columns);
    const updates = changing.map((column) => `${column} = excluded.${column}`).join(', ');
    const onConflict = changing.length === 0 ? '' : ` ON CONFLICT (${table.key.join(', ')}) DO UPDATE SET ${updates}`;
    return batchedStatement(
      rows,
      columns.length,
      (n) => `INSERT INTO ${schema}${name}(${columns.join(', ')}) VALUES ${valueTuples(n, columns.length)}${onConflict}`,
    );
  };
  const matching = (n: number): string => Array(n).fill('(asset = ? AND address = ?)').join(' OR ');
  const holderTable = `${schema}${names.assetHolder}`;
  return {
    holders: batchedStatement(keys, 2, (n) => `SELECT asset, address, amount, nfts FROM ${holderTable} WHERE ${matching(n)}`),
    counts: batchedStatement(rows, 1, (n) => `SELECT * FROM ${schema}${names.assetCount} WHERE asset IN (${placeholders(n)})`),
    upsertHolders: insert(names.assetHolder, explorerSchema.assetHolder, ['amount', 'nfts']),
    removeHolders: batchedStatement(keys, 2, (n) => `DELETE FROM ${holderTable} WHERE ${matching(n)}`),
    upsertCounts: insert(names.assetCount, explorerSchema.assetCount, ['holders', 'held', 'minted', 'minted_nfts']),
    addStats: insert(names.blockStat, explorerSchema.blockStat, []),
    addTxIds: insert(names.blockTxIds, explorerSchema.blockTxIds, []),
  };
}

type HolderRow = { readonly asset: Uint8Array; readonly address: Uint8Array; readonly amount: Uint8Array; readonly nfts: number };
type CountRow = {
  readonly asset: Uint8Array;
  readonly holders: number;
  readonly held: Uint8Array;
  readonly minted: Uint8Array;
  readonly minted_nfts: number;
};
