import { createLruMap } from '../../base/bytes/lru-map.ts';
import type { ServedChain, ServedChains } from '../rest/served-chains.ts';

/** Dependencies of the Metrics API routes. Without `seriesCache` every value is read from the index for each response. */
export type StatsDeps = ServedChains & { readonly seriesCache?: SeriesCache };

/**
 * Texts about time buckets that no later block can change, bounded by bytes. The key has the chain's epoch: a revert can change them.
 * A chain without an epoch is not cached.
 */
export type SeriesCache = {
  /** Returns the cached text, or makes and caches it. A text that is undefined is not cached. */
  readonly getOrMake: <T extends string | undefined>(chain: ServedChain, key: string, make: () => Promise<T>) => Promise<T>;
};

export function createSeriesCache(maxBytes: number): SeriesCache {
  const texts = createLruMap<string>();
  let bytes = 0;
  const store = (key: string, text: string): void => {
    // Concurrent requests may make the same text.
    if (sizeOf(key, text) * 4 > maxBytes || texts.get(key) !== undefined) return;
    texts.set(key, text);
    bytes += sizeOf(key, text);
    for (let oldest = texts.oldest(); bytes > maxBytes && oldest !== undefined; oldest = texts.oldest()) {
      texts.delete(oldest.key);
      bytes -= sizeOf(oldest.key, oldest.value);
    }
  };
  return {
    getOrMake: async <T extends string | undefined>(chain: ServedChain, key: string, make: () => Promise<T>): Promise<T> => {
      if (chain.epoch === undefined) return make();
      const fullKey = `${chain.id} ${chain.epoch()} ${key}`;
      const cached = texts.get(fullKey);
      if (cached !== undefined) return cached as T;
      const text = await make();
      if (text !== undefined) store(fullKey, text);
      return text;
    },
  };
}

/** For tests and servers without a cache. */
export const noSeriesCache: SeriesCache = { getOrMake: (_chain, _key, make) => make() };

/** Bytes of an entry, including an estimated overhead of 250. */
const sizeOf = (key: string, text: string): number => key.length + text.length + 250;
