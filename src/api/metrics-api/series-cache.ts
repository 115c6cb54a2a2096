import { createCache, textSize } from '../../base/cache/cache.ts';
import type { CacheBudget } from '../../base/cache/cache-budget.ts';
import type { ServedChain, ServedChains } from '../rest/served-chains.ts';

/** Dependencies of the Metrics API routes. Without `seriesCache` every value is read from the index for each response. */
export type MetricsApiDeps = ServedChains & { readonly seriesCache?: SeriesCache };

/** Texts about time buckets that no later block can change. A revert can change them. */
export type SeriesCache = {
  /** Returns the cached text, or makes and caches it. A text that is undefined is not cached. */
  readonly getOrMake: <T extends string | undefined>(chain: ServedChain, key: string, make: () => Promise<T>) => Promise<T>;
};

export function createSeriesCache(budget?: CacheBudget): SeriesCache {
  let epoch = 0;
  const texts = createCache<string, string>('points', { size: textSize, version: () => epoch, budget });
  return {
    getOrMake: async <T extends string | undefined>(chain: ServedChain, ownKey: string, make: () => Promise<T>): Promise<T> => {
      const key = `${chain.id} ${ownKey}`;
      // The chains of a server are reverted together.
      epoch = chain.epoch();
      const madeAt = texts.version();
      const cached = texts.get(key);
      if (cached !== undefined) return cached as T;
      const text = await make();
      if (text !== undefined) texts.set(key, text, madeAt);
      return text;
    },
  };
}

/** For tests and servers without a cache. */
export const noSeriesCache: SeriesCache = { getOrMake: (_chain, _key, make) => make() };
