import { createCache } from '../../base/cache/cache.ts';
import type { CacheBudget } from '../../base/cache/cache-budget.ts';
import type { MaybePromise } from '../../base/timing/promise.ts';
import type { KeyStore } from './key-store.ts';
import { type ApiKey, hashOf, isKeyShaped } from './keys.ts';

/** Looks up stored keys by their text. Throws or rejects if the store fails. */
export type KeyFinder = { readonly find: (text: string) => MaybePromise<ApiKey | undefined> };

type KeyFinderOptions = {
  readonly store: Pick<KeyStore, 'find'>;
  /** Milliseconds. */
  readonly now: () => number;
  /** How long a lookup is cached. For this time a revoked key may still be accepted, and a new key may still be unknown. */
  readonly cacheMilliseconds?: number;
  readonly budget?: CacheBudget;
};

/** Caches lookups. Concurrent requests with the same key share one query of the store. */
export function createKeyFinder({ store, now, cacheMilliseconds = 500, budget }: KeyFinderOptions): KeyFinder {
  const cache = createCache<string, { readonly found: MaybePromise<ApiKey | undefined>; readonly until: number }>('apiKeys', {
    size: entrySize,
    budget,
  });

  const queryStore = (hash: string, time: number): MaybePromise<ApiKey | undefined> => {
    const found = store.find(hash);
    const entry = { found, until: time + cacheMilliseconds };
    cache.set(hash, entry);
    if (found instanceof Promise)
      found.then(
        (key) => replace(hash, entry, { ...entry, found: key }),
        () => replace(hash, entry, undefined),
      );
    return found;
  };

  /** Replaces the promise in an entry by its result, or deletes the entry if the query failed. */
  const replace = (hash: string, entry: object, replacement: { found: ApiKey | undefined; until: number } | undefined): void => {
    if (cache.get(hash) !== entry) return;
    if (replacement === undefined) cache.delete(hash);
    else cache.set(hash, replacement);
  };

  return {
    find: (text) => {
      if (!isKeyShaped(text)) return undefined;
      const hash = hashOf(text);
      const time = now();
      const entry = cache.get(hash);
      return entry !== undefined && time < entry.until ? entry.found : queryStore(hash, time);
    },
  };
}

/** Bytes of a cached lookup. */
const entrySize = 600;
