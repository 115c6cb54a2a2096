import type { Id } from '../../base/bytes/id.ts';
import { createCache } from '../../base/cache/cache.ts';
import { bucketStart } from '../../ledger/index/bucket-start.ts';
import type { ExplorerReads } from '../../ledger/index-read/explorer-reads.ts';
import type { IndexReads } from '../../ledger/index-read/index-reads.ts';
import { daySeconds } from '../../ledger/index-read/read-asset-days.ts';
import { maxAssetDays } from '../contract/explorer-routes.ts';
import { atOneEpoch } from '../data/one-epoch.ts';

type AssetDay = { readonly start: number; readonly txCount: number };

/** Oldest first. `isComplete` is false if older days were left out. */
type AssetDayList = { readonly isComplete: boolean; readonly days: readonly AssetDay[] };

export type AssetDays = ReturnType<typeof createAssetDays>;

/** Rows counted for one request, about a quarter of a second of CPU time. */
const maxRows = 2_000_000;

const noDays: ReadonlyMap<number, number> = new Map();

/** Bytes of the days of an asset. */
const daysSize = (_: Id, days: ReadonlyMap<number, number>): number => 300 + 40 * days.size;

/**
 * Counts an asset's transactions by day. Counts of days that are over are cached until a revert: they cannot change. `epoch`: the number of times
 * the chain was reverted. `now`: Unix seconds.
 */
export function createAssetDays({
  reads,
  explorer,
  epoch,
  now,
}: {
  readonly reads: Pick<IndexReads, 'tip'>;
  readonly explorer: Pick<ExplorerReads, 'assetDays'>;
  readonly epoch: () => number;
  readonly now: () => number;
}) {
  const cache = createCache<Id, ReadonlyMap<number, number>>('assetDays', { size: daysSize, version: epoch });

  return {
    /** The transactions of an asset in each of the last days up to the day of the last block, or of the clock if that is later. */
    read: (asset: Id, count: number): Promise<AssetDayList> =>
      atOneEpoch(epoch, async (started) => {
        const cached = cache.get(asset) ?? noDays;
        const tip = await reads.tip();
        const today = bucketStart('day', Math.max(now(), tip.time));
        const starts = Array.from({ length: count }, (_, i) => today - i * daySeconds).filter((start) => start >= 0);
        const wanted = starts.filter((start) => !cached.has(start));
        const counts = await explorer.assetDays({ asset, days: wanted, pin: tip, maxRows });
        const found = new Map(counts.map((txCount, i) => [wanted[i] as number, txCount]));
        const known = starts.map((start) => ({ start, txCount: found.get(start) ?? cached.get(start) }));
        const end = known.findIndex(({ txCount }) => txCount === undefined);
        const days = (end < 0 ? known : known.slice(0, end)) as AssetDay[];
        const final = new Map(cached.size > 2 * maxAssetDays ? noDays : cached);
        // A block is never older than the one before it, so no block can be added to these days.
        for (const [start, txCount] of found) if (start + daySeconds <= tip.time) final.set(start, txCount);
        cache.set(asset, final, started);
        return { isComplete: end < 0, days: days.toReversed() };
      }),
  };
}
