import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { Cache } from '../../base/cache/cache.ts';
import { addressBlob, idBlob } from '../index/blob.ts';
import { decodeOpenBuckets, type OpenBuckets } from '../index/open-buckets.ts';
import { sumFromBytes } from '../index/output-amount.ts';
import { fetchRowGroups, type Queries } from '../store/queries.ts';
import type { BlockFacts } from './block-facts.ts';
import type { AssetStat, Holder } from './row-updates.ts';
import type { WriterCache } from './writer-cache.ts';
import type { WriterQueries } from './writer-queries.ts';

/** The rows that some blocks change, as they are before these blocks. */
export type PreviousRows = {
  readonly holders: ReadonlyMap<Address, Holder>;
  readonly assets: ReadonlyMap<Id, AssetStat>;
  readonly openBuckets: OpenBuckets | undefined;
};

/** Reads the previous rows from the cache and, in one group of queries, the others from the database. */
export function* readPreviousRows(q: WriterQueries, cache: WriterCache, chain: Id, facts: readonly BlockFacts[]): Queries<PreviousRows> {
  const holders = new Map<Address, Holder>();
  const assets = new Map<Id, AssetStat>();
  const uncached = {
    holders: new Set<Address>(),
    assets: new Set<Id>(),
  };
  for (const fact of facts) {
    for (const address of fact.involved) takeCached(cache.holders, holders, uncached.holders, address);
    for (const { assets: txAssets } of fact.txs) for (const asset of txAssets) takeCached(cache.assets, assets, uncached.assets, asset);
  }
  const rows = yield* fetchRowGroups({
    holders: q.holders([...uncached.holders].sort().map(addressBlob)),
    assets: q.assets([...uncached.assets].map(idBlob)),
    open: cache.openBuckets === undefined ? q.openBuckets([idBlob(chain)]) : [],
  });
  for (const row of rows.holders as HolderRow[]) holders.set(...holderEntry(row));
  for (const row of rows.assets as AssetRow[]) assets.set(...assetStatEntry(row));
  const [open] = rows.open as { open_buckets: string | null }[];
  return { holders, assets, openBuckets: cache.openBuckets ?? decodeOpenBuckets(open?.open_buckets) };
}

/** Takes a cached value over, or notes that it has to be read. Blocks of a batch have many addresses in common. */
function takeCached<K, V>(cache: Pick<Cache<K, V>, 'get'>, found: Map<K, V>, uncached: Set<K>, key: K): void {
  if (found.has(key)) return;
  const cached = cache.get(key);
  if (cached === undefined) uncached.add(key);
  else found.set(key, cached);
}

export const holderEntry = ({ address, first, seen, sent }: HolderRow): [Address, Holder] => [
  toHex(address) as Address,
  { first, seen, sent },
];

export const assetStatEntry = ({ asset, supply, held, minted, minted_nfts, ...numbers }: AssetRow): [Id, AssetStat] => [
  toHex(asset) as Id,
  { ...numbers, supply: sumFromBytes(supply), held: sumFromBytes(held), minted: sumFromBytes(minted), mintedNfts: minted_nfts },
];

export type HolderRow = Holder & { readonly address: Uint8Array };
export type AssetRow = Omit<AssetStat, 'supply' | 'held' | 'minted' | 'mintedNfts'> & {
  readonly asset: Uint8Array;
  readonly supply: Uint8Array;
  readonly held: Uint8Array;
  readonly minted: Uint8Array;
  readonly minted_nfts: number;
};
