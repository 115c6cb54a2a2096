import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import { addressBlob, idBlob } from '../index/blob.ts';
import { bucketUnitNames } from '../index/bucket-start.ts';
import type { BucketCounts, OpenBuckets } from '../index/open-buckets.ts';
import { sumToBytes } from '../index/output-amount.ts';
import type { SqlValue } from '../index/sql.ts';
import { type ActiveLength, activeLengths, type BucketUnit, bucketUnits } from '../index/tables.ts';
import type { BlockFacts } from './block-facts.ts';
import type { PreviousRows } from './previous-rows.ts';
import {
  type AssetCounts,
  type AssetStat,
  addAssetCounts,
  assetsAfter,
  type Holder,
  holdersAfter,
  isGenesisBlock,
  openBucketsAfter,
} from './row-updates.ts';
import type { WriterCache } from './writer-cache.ts';

/** Rows of all sums and counts: per table a flat list of values in the order of its columns. */
type CounterRows = {
  /** Holders that have no row yet. */
  readonly newHolders: SqlValue[];
  readonly holders: SqlValue[];
  /** What to add to the counts of active addresses. */
  readonly active: SqlValue[];
  readonly assets: SqlValue[];
  /** Buckets and minutes that are over. */
  readonly buckets: SqlValue[];
  readonly minutes: SqlValue[];
};

/**
 * Computes the rows after some blocks from the rows before them, and puts them into the cache. Of a row that several blocks change, only
 * the last version is returned. `assetChanges`: of the counts that `BlockFacts` do not have.
 */
export function counterRows(
  previous: PreviousRows,
  facts: readonly BlockFacts[],
  assetChanges: ReadonlyMap<Id, AssetCounts>,
  cache: WriterCache,
): CounterRows {
  const holders = overlay(previous.holders);
  const assets = overlay(previous.assets);
  const rows: CounterRows = { newHolders: [], holders: [], active: [], assets: [], buckets: [], minutes: [] };
  let { openBuckets } = previous;
  for (const fact of facts) {
    if (!isGenesisBlock(fact)) {
      const next = openBucketsAfter(fact, openBuckets, holders.get);
      if (openBuckets !== undefined) addFinished(rows, openBuckets, next);
      openBuckets = next;
    }
    holders.setAll(holdersAfter(fact, holders.get));
    assets.setAll(assetsAfter(fact, assets.get));
  }
  // A balance changes and units are minted only in transactions that name the asset, so it is among the changed assets.
  for (const [asset, change] of assetChanges) assets.changed.set(asset, addAssetCounts(assets.changed.get(asset) as AssetStat, change));
  for (const [asset, stat] of assets.changed) rows.assets.push(...assetRow(asset, stat));
  for (const length of activeLengths) rows.active.push(...activeRows(length, previous.holders, holders.changed, facts));
  // `forEach`, here and below: iterating over a map makes a list for each entry, and these loops run for each address of each block.
  holders.changed.forEach((holder, address) => {
    pushHolderRow(previous.holders.has(address) ? rows.holders : rows.newHolders, address, holder);
    cache.holders.set(address, holder);
  });
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
    setAll: (entries: ReadonlyMap<K, V>): void => entries.forEach((value, key) => void changed.set(key, value)),
  };
}

/** Moves addresses from the second, hour or day in which they were last seen, and last sent, to the one in which they are now. */
function activeRows(
  length: ActiveLength,
  before: ReadonlyMap<Address, Holder>,
  after: ReadonlyMap<Address, Holder>,
  facts: readonly BlockFacts[],
): SqlValue[] {
  const starts = new Map<number, { seen: number; sent: number }>();
  const countsAt = (start: number): { seen: number; sent: number } => {
    const known = starts.get(start);
    if (known !== undefined) return known;
    const counts = { seen: 0, sent: 0 };
    starts.set(start, counts);
    return counts;
  };
  const move = (column: 'seen' | 'sent', from: number, to: number): void => {
    if (from === to) return;
    // 0: never.
    if (from > 0) countsAt(from)[column]--;
    if (to > 0) countsAt(to)[column]++;
  };
  const startOf = (time: number): number => time - (time % length);
  after.forEach(({ seen, sent }, address) => {
    const previous = before.get(address);
    move('seen', startOf(previous?.seen ?? 0), startOf(seen));
    move('sent', startOf(previous?.sent ?? 0), startOf(sent));
  });
  // One that begins and ends within these blocks has a row too, even if all its addresses were seen again: as if they were written singly.
  const active = new Set(facts.filter((fact) => !isGenesisBlock(fact) && fact.involved.size > 0).map(({ time }) => startOf(time)));
  if (active.size > 1) for (const start of active) countsAt(start);
  return [...starts].sort(([a], [b]) => a - b).flatMap(([start, { seen, sent }]) => [length, start, seen, sent]);
}

/** Adds the columns of a row, in their order, to a list of values. */
export const pushHolderRow = (values: SqlValue[], address: Address, { first, seen, sent }: Holder): void =>
  void values.push(addressBlob(address), first, seen, sent);

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
