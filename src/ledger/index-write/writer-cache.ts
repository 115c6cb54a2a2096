import type { Address } from '../../base/bytes/address.ts';
import { type BoundedMap, boundedMap } from '../../base/bytes/bounded-map.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { BucketUnit } from '../index/tables.ts';
import type { AssetStat, BalanceSums, BucketCounts, Holder, LatestSeconds } from './row-updates.ts';

/**
 * Rows that the writer does not have to read again, since no other process changes them. Valid from one block to the next: if a block was
 * written but not stored in the end, the cache is dropped when the next block comes (see `height`).
 */
export type WriterCache = {
  /** Height of the block after which the rows are valid; undefined while a block is being written. */
  height: number | undefined;
  readonly holders: BoundedMap<Address, Holder>;
  readonly balances: BoundedMap<string, BalanceSums>;
  readonly assets: BoundedMap<Id, AssetStat>;
  /** Block times by height. */
  readonly times: BoundedMap<number, number>;
  readonly buckets: Map<BucketUnit, { readonly start: number; readonly counts: BucketCounts }>;
  latestSeconds: LatestSeconds | undefined;
  /** Addresses whose public keys are stored. */
  readonly storedKeys: BoundedMap<Address, true>;
};

/** Entries per map. Caching pays because senders often send again and get change back. */
const maxCachedRows = 8192;

export const createWriterCache = (): WriterCache => ({
  height: undefined,
  holders: boundedMap(maxCachedRows),
  balances: boundedMap(maxCachedRows),
  assets: boundedMap(maxCachedRows / 4),
  times: boundedMap(maxCachedRows),
  buckets: new Map(),
  latestSeconds: undefined,
  storedKeys: boundedMap(maxCachedRows),
});
