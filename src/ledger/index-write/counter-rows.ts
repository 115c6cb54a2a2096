import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import { addressBlob, idBlob } from '../index/blob.ts';
import { bucketUnitNames, hourStart } from '../index/bucket-start.ts';
import type { BucketCounts, OpenBuckets } from '../index/open-buckets.ts';
import { sumToBytes } from '../index/output-amount.ts';
import type { SqlValue } from '../index/sql.ts';
import { type BucketUnit, bucketUnits } from '../index/tables.ts';
import type { BalanceChange, BlockFacts } from './block-facts.ts';
import { balanceKeyBlobs, type PreviousRows } from './previous-rows.ts';
import {
  type AssetCounts,
  type AssetStat,
  addAssetCounts,
  assetsAfter,
  balancesAfter,
  type Holder,
  holdersAfter,
  isGenesisBlock,
  openBucketsAfter,
} from './row-updates.ts';
import type { WriterCache } from './writer-cache.ts';

/** Rows of all sums and counts: per table a flat list of values in the order of its columns. */
type CounterRows = {
  readonly balances: SqlValue[];
  /** Holders whose hour columns stay the same. */
  readonly holders: SqlValue[];
  /** Holders whose hour columns change. */
  readonly holderHours: SqlValue[];
  readonly assets: SqlValue[];
  /** Buckets and minutes that are over. */
  readonly buckets: SqlValue[];
  readonly minutes: SqlValue[];
};

/**
 * Computes the rows after some blocks from the rows before them, and puts them into the cache. Of a row that several blocks change, only
 * the last version is returned; a balance gets a row per block. `assetChanges`: of the counts that `BlockFacts` do not have.
 */
export function counterRows(
  previous: PreviousRows,
  facts: readonly BlockFacts[],
  assetChanges: ReadonlyMap<Id, AssetCounts>,
  cache: WriterCache,
): CounterRows {
  const holders = overlay(previous.holders);
  const balances = overlay(previous.balances);
  const assets = overlay(previous.assets);
  const rows: CounterRows = { balances: [], holders: [], holderHours: [], assets: [], buckets: [], minutes: [] };
  let { openBuckets } = previous;
  for (const fact of facts) {
    if (!isGenesisBlock(fact)) {
      const next = openBucketsAfter(fact, openBuckets, holders.get);
      if (openBuckets !== undefined) addFinished(rows, openBuckets, next);
      openBuckets = next;
    }
    holders.setAll(holdersAfter(fact, holders.get));
    assets.setAll(assetsAfter(fact, assets.get));
    const after = balancesAfter(fact, balances.get);
    balances.setAll(after);
    for (const [key, { amount, count, nfts }] of after)
      rows.balances.push(...balanceKeyBlobs(fact.balanceChanges.get(key) as BalanceChange), fact.height, sumToBytes(amount), count, nfts);
  }
  // A balance changes and units are minted only in transactions that name the asset, so it is among the changed assets.
  for (const [asset, change] of assetChanges) assets.changed.set(asset, addAssetCounts(assets.changed.get(asset) as AssetStat, change));
  for (const [asset, stat] of assets.changed) rows.assets.push(...assetRow(asset, stat));
  for (const [address, holder] of holders.changed)
    (hasSameHours(previous.holders.get(address), holder) ? rows.holders : rows.holderHours).push(...holderRow(address, holder));

  for (const [address, holder] of holders.changed) cache.holders.set(address, holder);
  for (const [key, sums] of balances.changed) cache.balances.set(key, sums);
  for (const [asset, stat] of assets.changed) cache.assets.set(asset, stat);
  cache.openBuckets = openBuckets;
  return rows;
}

/** Adds rows for the buckets that are over when the next ones begin. Block times never decrease, so no later block is in them. */
function addFinished(rows: CounterRows, { buckets, minute }: OpenBuckets, next: OpenBuckets): void {
  for (const unit of bucketUnitNames) {
    const { start, counts } = buckets[unit];
    if (next.buckets[unit].start !== start) rows.buckets.push(...bucketRow(unit, start, counts));
  }
  if (next.minute.start !== minute.start) rows.minutes.push(minute.start, minute.txs, sumToBytes(minute.fees), minute.maxTps);
}

/** A map of changed entries on top of unchanged ones. */
function overlay<K, V>(base: ReadonlyMap<K, V>) {
  const changed = new Map<K, V>();
  return {
    changed,
    get: (key: K): V | undefined => changed.get(key) ?? base.get(key),
    setAll: (entries: ReadonlyMap<K, V>): void => {
      for (const [key, value] of entries) changed.set(key, value);
    },
  };
}

const hasSameHours = (previous: Holder | undefined, { seen, sent }: Holder): boolean =>
  previous !== undefined && hourStart(previous.seen) === hourStart(seen) && hourStart(previous.sent) === hourStart(sent);

export const holderRow = (address: Address, { first, seen, sent }: Holder): SqlValue[] => [
  addressBlob(address),
  first,
  seen,
  hourStart(seen),
  sent,
  hourStart(sent),
];

export const assetRow = (asset: Id, stat: AssetStat): SqlValue[] => [
  idBlob(asset),
  ...[stat.first, stat.last, stat.txs, sumToBytes(stat.supply), stat.nfts],
  ...[stat.holders, sumToBytes(stat.held), sumToBytes(stat.minted), stat.mintedNfts],
];

const bucketRow = (unit: BucketUnit, start: number, counts: BucketCounts): SqlValue[] => [
  bucketUnits[unit],
  start,
  counts.txs,
  counts.blocks,
  counts.active,
  counts.senders,
  counts.addresses,
  sumToBytes(counts.fees),
  counts.maxTps,
  counts.last,
];
