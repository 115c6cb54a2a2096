import { createLruMap } from '../../base/bytes/lru-map.ts';
import type { KeyStore } from './key-store.ts';
import { type ApiKey, hashOf, isKeyShaped } from './keys.ts';
import type { MaybePromise } from './maybe-promise.ts';

/** Looks up stored keys by their text. Throws or rejects if the store fails. */
export type KeyFinder = { readonly find: (text: string) => MaybePromise<ApiKey | undefined> };

export type KeyFinderOptions = {
  readonly store: KeyStore;
  /** Milliseconds. */
  readonly now: () => number;
  /** How long a lookup is cached. For this time a revoked key may still be accepted, and a new key may still be unknown. */
  readonly cacheMilliseconds?: number;
  readonly maxCached?: number;
};

/** Caches lookups. Concurrent requests with the same key share one query of the store. Evicts the least recently used entry. */
export function createKeyFinder({ store, now, cacheMilliseconds = 500, maxCached = 10_000 }: KeyFinderOptions): KeyFinder {
  const cache = createLruMap<{ readonly found: MaybePromise<ApiKey | undefined>; readonly until: number }>();

  const queryStore = (hash: string, time: number): MaybePromise<ApiKey | undefined> => {
    const found = store.find(hash);
    const entry = { found, until: time + cacheMilliseconds };
    cache.set(hash, entry);
    const oldest = cache.oldest();
    if (oldest !== undefined && cache.size() > maxCached) cache.delete(oldest.key);
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
