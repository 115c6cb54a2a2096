import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import { type Cache, createCache } from '../../base/cache/cache.ts';
import type { OpenBuckets } from '../index/open-buckets.ts';
import type { BalanceSums } from '../state/balance.ts';
import type { OpenRuns } from './history-rows.ts';
import type { AssetStat, Holder } from './row-updates.ts';

/**
 * Rows that the writer does not have to read again, since no other process changes them. Valid from one block to the next: if a block was
 * written but not stored in the end, the cache is dropped when the next block comes (see `height`).
 */
export type WriterCache = {
  /** Height of the block after which the rows are valid; undefined while a block is being written. */
  height: number | undefined;
  readonly holders: Cache<Address, Holder>;
  /** By `balanceKeyText`; used if this writer writes the rows of balances. */
  readonly balances: Cache<string, BalanceSums>;
  readonly dropBalances: () => void;
  readonly assets: Cache<Id, AssetStat>;
  openBuckets: OpenBuckets | undefined;
  /** Whether the last transaction is in a run of transfers; see index/transfer-runs.ts. */
  openRuns: OpenRuns | undefined;
  /** Addresses whose public keys are stored. */
  readonly storedKeys: Cache<Address, true>;
  readonly clear: () => void;
};

/** Caching pays because senders often send again and get change back. */
export function createWriterCache(): WriterCache {
  let [clears, drops] = [0, 0];
  const rows = <K, V extends NonNullable<unknown>>(size: number): Cache<K, V> => createCache('indexRows', { size, version: () => clears });
  const cache: WriterCache = {
    height: undefined,
    holders: rows(300),
    balances: createCache('balanceRows', { size: 550, version: () => clears + drops }),
    dropBalances: () => {
      drops++;
    },
    assets: rows(400),
    openBuckets: undefined,
    openRuns: undefined,
    storedKeys: rows(150),
    clear: () => {
      clears++;
      cache.height = undefined;
      cache.openBuckets = undefined;
      cache.openRuns = undefined;
    },
  };
  return cache;
}
