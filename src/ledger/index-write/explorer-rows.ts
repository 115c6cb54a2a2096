import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import { createCache } from '../../base/cache/cache.ts';
import { type BatchedStatement, type BatchSizes, batchedStatement, valueTuples } from '../index/batched-statement.ts';
import { addressBlob, idBlob } from '../index/blob.ts';
import type { Dialect } from '../index/ddl.ts';
import { explorerSchema, explorerTablesOf } from '../index/explorer-tables.ts';
import { addMinted, type MintedSum } from '../index/minted-sums.ts';
import { sumFromBytes, sumToBytes } from '../index/output-amount.ts';
import type { SqlValue } from '../index/sql.ts';
import { fetchRows, type Query, type Steps } from '../index/steps.ts';
import type { Table } from '../index/tables.ts';
import { joinIdTexts, maxDerivedIds } from '../index/tx-id-texts.ts';
import type { BalanceChange, BlockToIndex } from './block-facts.ts';
import { type AssetCounts, noAssetCounts } from './row-updates.ts';

/** Writes the tables of the explorer routes and of lists of blocks and transactions; see index/explorer-tables.ts. */
type ExplorerRows = {
  /** The rows of blocks. `changes`: the balance changes of each block. */
  readonly addBlocks: (blocks: readonly BlockToIndex[], changes: readonly BalanceChanges[]) => Steps<ExplorerChanges>;
  /** The rows of balances from before linearization. */
  readonly addBalances: (changes: BalanceChanges) => Steps<ExplorerChanges>;
  /** Drops all cached rows. */
  readonly clearCache: () => void;
};

/** Queries to run, and the changes of the counts of assets, which the caller writes with the rest of their rows. */
type ExplorerChanges = { readonly queries: readonly Query[]; readonly assets: ReadonlyMap<Id, AssetCounts> };

type BalanceChanges = ReadonlyMap<string, BalanceChange>;

type HolderSums = { readonly amount: bigint; readonly nfts: number };
type HolderChange = { readonly address: Address; readonly asset: Id; amount: bigint; nfts: number };

const noSums: HolderSums = { amount: 0n, nfts: 0 };

/** `schema`: see `writerQueries`. */
export function createExplorerRows(dialect: Dialect, chain: number, schema: '' | `${string}.` = ''): ExplorerRows {
  const q = explorerQueries(dialect, chain, schema);
  let clears = 0;
  /** Rows that need not be read again, since no other process changes them. Keys: address and asset. */
  const cache = createCache<string, HolderSums>('indexRows', { size: 450, version: () => clears });

  /** The rows before the changes, from the cache or the database. */
  function* readPrevious(changes: ReadonlyMap<string, HolderChange>): Steps<ReadonlyMap<string, HolderSums>> {
    const holders = new Map<string, HolderSums>();
    const missing: HolderChange[] = [];
    for (const [key, change] of changes) {
      const cached = cache.get(key);
      if (cached === undefined) missing.push(change);
      else holders.set(key, cached);
    }
    const rows = yield* fetchRows<HolderRow>(q.holders(missing.flatMap(({ asset, address }) => [idBlob(asset), addressBlob(address)])));
    for (const { asset, address, amount, nfts } of rows) holders.set(toHex(address) + toHex(asset), { amount: sumFromBytes(amount), nfts });
    return holders;
  }

  function* change(changes: ReadonlyMap<string, HolderChange>, minted: ReadonlyMap<Id, MintedSum>): Steps<ExplorerChanges> {
    const changed = new Map([...changes].filter(([, { amount, nfts }]) => amount !== 0n || nfts !== 0));
    const previous = yield* readPrevious(changed);
    const assets = new Map<Id, { -readonly [K in keyof AssetCounts]: AssetCounts[K] }>();
    const countsOf = (asset: Id) => {
      const counts = assets.get(asset) ?? { ...noAssetCounts };
      assets.set(asset, counts);
      return counts;
    };
    const upserted: SqlValue[] = [];
    const removed: SqlValue[] = [];
    for (const [key, { address, asset, amount, nfts }] of changed) {
      const before = previous.get(key) ?? noSums;
      const after = { amount: before.amount + amount, nfts: before.nfts + nfts };
      const counts = countsOf(asset);
      counts.held += amount;
      counts.holders += Number(isHolder(after)) - Number(isHolder(before));
      if (isHolder(after)) upserted.push(idBlob(asset), addressBlob(address), sumToBytes(after.amount), after.nfts);
      else removed.push(idBlob(asset), addressBlob(address));
      cache.set(key, after);
    }
    for (const [asset, { units, nfts }] of minted) {
      const counts = countsOf(asset);
      counts.minted += units;
      counts.mintedNfts += nfts;
    }
    return { queries: [...q.removeHolders(removed), ...q.upsertHolders(upserted)], assets };
  }

  return {
    addBlocks: function* (blocks, changes) {
      const holders = new Map<string, HolderChange>();
      for (const ofBlock of changes) addHolderChanges(holders, ofBlock);
      const minted = new Map<Id, MintedSum>();
      const txIds: SqlValue[] = [];
      for (const { block, applied } of blocks) {
        const txs = applied.map(({ tx }) => tx);
        for (const tx of txs) addMinted(minted, tx);
        if (block.height > 0n && txs.length > maxDerivedIds) txIds.push(Number(block.height), joinIdTexts(txs.map(({ id }) => id)));
      }
      const { queries, assets } = yield* change(holders, minted);
      return { queries: [...queries, ...q.addTxIds(txIds)], assets };
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
  sqlite: { rows: [16, 8, 4, 3, 2, 1], keys: [1] },
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
    upsertHolders: insert(names.assetHolder, explorerSchema.assetHolder, ['amount', 'nfts']),
    removeHolders: batchedStatement(keys, 2, (n) => `DELETE FROM ${holderTable} WHERE ${matching(n)}`),
    addTxIds: insert(names.blockTxIds, explorerSchema.blockTxIds, []),
  };
}

type HolderRow = { readonly asset: Uint8Array; readonly address: Uint8Array; readonly amount: Uint8Array; readonly nfts: number };
