import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import { addressBlob, idBlob } from '../index/blob.ts';
import { bucketStart, bucketUnitNames } from '../index/bucket-start.ts';
import { sumFromBytes } from '../index/output-amount.ts';
import { fetchRowGroups, type Steps } from '../index/steps.ts';
import { type BucketUnit, bucketUnits } from '../index/tables.ts';
import type { BlockFacts, BlockToIndex } from './block-facts.ts';
import { type AssetStat, type BucketCounts, type Holder, isGenesisBlock, type LatestSeconds } from './row-updates.ts';
import type { WriterCache } from './writer-cache.ts';
import type { WriterQueries } from './writer-queries.ts';

/** The rows that some blocks change, as they are before these blocks. */
export type PreviousRows = {
  readonly holders: ReadonlyMap<Address, Holder>;
  readonly assets: ReadonlyMap<Id, AssetStat>;
  /** Block times by height: of these blocks and of those that created the outputs they consume. */
  readonly times: ReadonlyMap<number, number>;
  readonly buckets: ReadonlyMap<BucketUnit, { readonly start: number; readonly counts: BucketCounts }>;
  readonly latestSeconds: LatestSeconds | undefined;
};

/** Reads the previous rows from the cache and, in one group of queries, the others from the database. */
export function* readPreviousRows(
  q: WriterQueries,
  cache: WriterCache,
  blocks: readonly BlockToIndex[],
  facts: readonly BlockFacts[],
): Steps<PreviousRows> {
  const holders = new Map<Address, Holder>();
  const assets = new Map<Id, AssetStat>();
  const times = new Map<number, number>();
  const uncached = {
    holders: new Set<Address>(),
    assets: new Set<Id>(),
    times: new Set<number>(),
  };
  for (const fact of facts) {
    for (const address of fact.involved) takeCached(cache.holders.get(address), holders, uncached.holders, address);
    for (const { assets: txAssets } of fact.txs)
      for (const asset of txAssets) takeCached(cache.assets.get(asset), assets, uncached.assets, asset);
  }
  for (const { block, consumed } of blocks) {
    times.set(Number(block.height), Number(block.time));
    for (const { height } of consumed) if (!times.has(height)) takeCached(cache.times.get(height), times, uncached.times, height);
  }
  // Only the buckets of the first counted block can have rows already: block times never decrease, so later blocks can only start new ones.
  const firstCounted = facts.find((fact) => !isGenesisBlock(fact));
  const firstBuckets = bucketUnitNames.map((unit) => ({ unit, start: bucketStart(unit, firstCounted?.time ?? 0) }));
  const missing = firstCounted === undefined ? [] : firstBuckets.filter(({ unit, start }) => cache.buckets.get(unit)?.start !== start);
  const rows = yield* fetchRowGroups({
    holders: q.holders([...uncached.holders].map(addressBlob)),
    assets: q.assets([...uncached.assets].map(idBlob)),
    times: q.times([...uncached.times]),
    buckets: q.buckets(missing.flatMap(({ unit, start }) => [bucketUnits[unit], start])),
    seconds: cache.latestSeconds === undefined && firstCounted !== undefined ? [q.lastSeconds] : [],
  });
  for (const row of rows.holders as HolderRow[]) holders.set(...holderEntry(row));
  for (const row of rows.assets as AssetRow[]) assets.set(...assetStatEntry(row));
  for (const { height, time } of rows.times as { height: number; time: number }[]) {
    times.set(height, time);
    cache.times.set(height, time);
  }
  const buckets = new Map(cache.buckets);
  for (const { unit, start, fees, max_tps, ...counts } of rows.buckets as BucketRow[])
    buckets.set(bucketUnitNames[unit] as BucketUnit, { start, counts: { ...counts, fees: sumFromBytes(fees), maxTps: max_tps } });
  const [last, previous] = rows.seconds as SecondRow[];
  const latestSeconds =
    last === undefined ? cache.latestSeconds : { last: { ...last, fees: sumFromBytes(last.fees) }, previousTime: previous?.time };
  return { holders, assets, times, buckets, latestSeconds };
}

/** Takes a cached value over, or notes that it has to be read. */
function takeCached<K, V>(cached: V | undefined, found: Map<K, V>, uncached: Set<K>, key: K): void {
  if (cached === undefined) uncached.add(key);
  else found.set(key, cached);
}

export const holderEntry = ({ address, first, seen, sent }: HolderRow): [Address, Holder] => [
  toHex(address) as Address,
  { first, seen, sent },
];

export const assetStatEntry = ({ asset, first, last, txs, supply, nfts }: AssetRow): [Id, AssetStat] => [
  toHex(asset) as Id,
  { first, last, txs, supply: sumFromBytes(supply), nfts },
];

export type HolderRow = Holder & { readonly address: Uint8Array };
export type AssetRow = Omit<AssetStat, 'supply'> & { readonly asset: Uint8Array; readonly supply: Uint8Array };
type SecondRow = { readonly time: number; readonly txs: number; readonly fees: Uint8Array; readonly rate: number };
type BucketRow = Omit<BucketCounts, 'fees' | 'maxTps'> & {
  readonly unit: number;
  readonly start: number;
  readonly fees: Uint8Array;
  readonly max_tps: number;
};
