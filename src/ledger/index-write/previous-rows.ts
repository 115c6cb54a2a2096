import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import { addressBlob, idBlob, u64Blob } from '../index/blob.ts';
import { decodeOpenBuckets, type OpenBuckets } from '../index/open-buckets.ts';
import { sumFromBytes } from '../index/output-amount.ts';
import { fetchRowGroups, type Steps } from '../index/steps.ts';
import type { BalanceChange, BlockFacts } from './block-facts.ts';
import type { AssetStat, BalanceSums, Holder } from './row-updates.ts';
import type { WriterCache } from './writer-cache.ts';
import type { WriterQueries } from './writer-queries.ts';

/** The rows that some blocks change, as they are before these blocks. */
export type PreviousRows = {
  readonly holders: ReadonlyMap<Address, Holder>;
  readonly balances: ReadonlyMap<string, BalanceSums>;
  readonly assets: ReadonlyMap<Id, AssetStat>;
  readonly openBuckets: OpenBuckets | undefined;
};

/** Reads the previous rows from the cache and, in one group of queries, the others from the database. */
export function* readPreviousRows(q: WriterQueries, cache: WriterCache, chain: Id, facts: readonly BlockFacts[]): Steps<PreviousRows> {
  const holders = new Map<Address, Holder>();
  const balances = new Map<string, BalanceSums>();
  const assets = new Map<Id, AssetStat>();
  const uncached = {
    holders: new Set<Address>(),
    balances: new Map<string, BalanceChange>(),
    assets: new Set<Id>(),
  };
  for (const fact of facts) {
    for (const address of fact.involved) takeCached(cache.holders.get(address), holders, uncached.holders, address);
    for (const [key, change] of fact.balanceChanges) {
      const sums = cache.balances.get(key);
      if (sums !== undefined) balances.set(key, sums);
      else uncached.balances.set(key, change);
    }
    for (const { assets: txAssets } of fact.txs)
      for (const asset of txAssets) takeCached(cache.assets.get(asset), assets, uncached.assets, asset);
  }
  const keys = [...uncached.balances.keys()];
  const rows = yield* fetchRowGroups({
    holders: q.holders([...uncached.holders].map(addressBlob)),
    balances: q.newestBalances([...uncached.balances.values()].flatMap((change, i) => [i, ...balanceKeyBlobs(change)])),
    assets: q.assets([...uncached.assets].map(idBlob)),
    open: cache.openBuckets === undefined ? q.openBuckets([idBlob(chain)]) : [],
  });
  for (const row of rows.holders as HolderRow[]) holders.set(...holderEntry(row));
  for (const { n, amount, count, nfts } of rows.balances as KeyedBalanceRow[])
    balances.set(keys[n] as string, { amount: sumFromBytes(amount), count, nfts });
  for (const row of rows.assets as AssetRow[]) assets.set(...assetStatEntry(row));
  const [open] = rows.open as { open_buckets: string | null }[];
  return { holders, balances, assets, openBuckets: cache.openBuckets ?? decodeOpenBuckets(open?.open_buckets) };
}

/** Takes a cached value over, or notes that it has to be read. */
function takeCached<K, V>(cached: V | undefined, found: Map<K, V>, uncached: Set<K>, key: K): void {
  if (cached === undefined) uncached.add(key);
  else found.set(key, cached);
}

/** Values of the columns address, asset and locktime. */
export const balanceKeyBlobs = ({ address, asset, locktime }: Pick<BalanceChange, 'address' | 'asset' | 'locktime'>) =>
  [addressBlob(address), idBlob(asset), u64Blob(locktime)] as const;

export const holderEntry = ({ address, first, seen, sent }: HolderRow): [Address, Holder] => [
  toHex(address) as Address,
  { first, seen, sent },
];

export const assetStatEntry = ({ asset, supply, held, minted, minted_nfts, ...numbers }: AssetRow): [Id, AssetStat] => [
  toHex(asset) as Id,
  { ...numbers, supply: sumFromBytes(supply), held: sumFromBytes(held), minted: sumFromBytes(minted), mintedNfts: minted_nfts },
];

export type HolderRow = Holder & { readonly address: Uint8Array };
/** `n` is the number that the query gave to the balance key. */
export type KeyedBalanceRow = {
  readonly n: number;
  readonly height: number;
  readonly amount: Uint8Array;
  readonly count: number;
  readonly nfts: number;
};
export type AssetRow = Omit<AssetStat, 'supply' | 'held' | 'minted' | 'mintedNfts'> & {
  readonly asset: Uint8Array;
  readonly supply: Uint8Array;
  readonly held: Uint8Array;
  readonly minted: Uint8Array;
  readonly minted_nfts: number;
};
