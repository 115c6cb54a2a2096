import { createCache } from '../../base/cache/cache.ts';
import type { CacheBudget } from '../../base/cache/cache-budget.ts';
import type { KeyStore } from './key-store.ts';
import { type ApiKey, hashOf, isKeyShaped } from './keys.ts';

/** Looks up stored keys by their text. Rejects if the store fails. */
export type KeyFinder = { readonly find: (text: string) => Promise<ApiKey | undefined> };

/**
 * Caches lookups. Concurrent requests with the same key share one query of the store. For `cacheMilliseconds` a revoked key may still be accepted,
 * and a new key may still be unknown.
 */
export function createKeyFinder({
  store,
  now,
  cacheMilliseconds = 500,
  budget,
}: {
  readonly store: Pick<KeyStore, 'find'>;
  /** Milliseconds. */
  readonly now: () => number;
  readonly cacheMilliseconds?: number;
  readonly budget?: CacheBudget;
}): KeyFinder {
  const cache = createCache<string, { readonly found: Promise<ApiKey | undefined>; readonly until: number }>('apiKeys', {
    size: entrySize,
    budget,
  });

  return {
    find: async (text) => {
      if (!isKeyShaped(text)) return undefined;
      const hash = hashOf(text);
      const time = now();
      const cached = cache.get(hash);
      if (cached !== undefined && time < cached.until) return cached.found;
      const entry = { found: store.find(hash), until: time + cacheMilliseconds };
      cache.set(hash, entry);
      // A failure is not cached: the next request asks again.
      entry.found.catch(() => {
        if (cache.get(hash) === entry) cache.delete(hash);
      });
      return entry.found;
    },
  };
}

/** Bytes of a cached lookup. */
const entrySize = 600;
