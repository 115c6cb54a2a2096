import { type CacheBudget, type Generations, processCaches } from './cache-budget.ts';
import { type CacheName, cacheTable } from './cache-table.ts';
import { copyText } from './copy-text.ts';

/** What the entries of a cache belong to: the number of a commit or of a revert, or a text. Undefined: not known now, so nothing is cached. */
export type CacheVersion = number | string | undefined;

/** A cache of values that can be made again. */
export type Cache<K, V> = {
  /** Returns an entry. `at`: only if this is the current version, for a caller that has read other things at that version. */
  readonly get: (key: K, at?: CacheVersion) => V | undefined;
  /** Adds an entry. `madeAt`: the version when making the value began; a value of another version is not added. */
  readonly set: (key: K, value: V, madeAt?: CacheVersion) => void;
  readonly delete: (key: K) => void;
  /** The current version; always 0 for a cache whose entries never die. */
  readonly version: () => CacheVersion;
  /** Returns the cached value, or makes and adds it. */
  readonly getOrMake: (key: K, make: (key: K) => V) => V;
};

type CacheOptions<K, V> = {
  /** Bytes of an entry with its key, including what the engine needs for the objects; a number if all entries have about the same. */
  readonly size: number | ((key: K, value: V) => number);
  /** Required if the entries die at a commit or a revert: they die when it changes. */
  readonly version?: () => CacheVersion;
  readonly budget?: CacheBudget | undefined;
};

/**
 * Creates a cache by its name in `cacheTable`, which says its share of the bytes and when its entries die. It has two generations: entries in
 * use move to the young one, and when the young ones of all caches of this name have half of the bytes, the old ones are dropped. With the list of
 * lru-map.ts in its place a hit among 50,000 entries takes 1.2 µs, not 0.3, an added entry 1.1 µs, not 0.3, and 64 bytes more (2026-11-18): a page
 * joined from 100 cached pieces would take about 0.1 ms longer.
 */
export function createCache<K, V extends NonNullable<unknown>>(name: CacheName, options: CacheOptions<K, V>): Cache<K, V> {
  const { size, version, budget = processCaches } = options;
  const { dies, copiesKeys } = cacheTable[name];
  if ((dies === 'never') !== (version === undefined)) throw new TypeError(`cache ${name}: its entries die: ${dies}; see cache-table.ts`);
  const pool = budget.poolOf(name);
  const entries = { young: new Map<K, V>(), old: new Map<K, V>(), youngBytes: 0, oldBytes: 0 };
  pool.join(entries as Generations);
  const sizeOf = typeof size === 'number' ? () => size : size;
  const copyKey = copiesKeys ? (key: K): K => (typeof key === 'string' ? (copyText(key) as K) : key) : undefined;
  let cachedVersion: CacheVersion;

  const clear = (): void => {
    pool.grow(-entries.youngBytes);
    entries.young = new Map();
    entries.old = new Map();
    entries.youngBytes = 0;
    entries.oldBytes = 0;
  };
  /** Returns the current version, and drops the entries of another one. */
  const currentVersion =
    version === undefined
      ? () => 0
      : (): CacheVersion => {
          const current = version();
          if (current !== cachedVersion && current !== undefined) {
            if (entries.young.size > 0 || entries.old.size > 0) clear();
            cachedVersion = current;
          }
          return current;
        };

  const remove = (key: K): void => {
    const existing = entries.young.get(key);
    if (existing !== undefined) {
      const bytes = sizeOf(key, existing);
      entries.young.delete(key);
      entries.youngBytes -= bytes;
      pool.grow(-bytes);
    }
    takeOld(key);
  };
  /** Removes an entry from the old generation and returns it. */
  const takeOld = (key: K): V | undefined => {
    const found = entries.old.get(key);
    if (found === undefined) return undefined;
    entries.old.delete(key);
    entries.oldBytes -= sizeOf(key, found);
    return found;
  };
  const put = (key: K, value: V): void => {
    const bytes = sizeOf(key, value);
    // A very large entry must not evict everything else.
    if (bytes * 4 > pool.maxBytes) {
      remove(key);
      return;
    }
    const existing = entries.young.get(key);
    const growth = existing === undefined ? bytes : bytes - sizeOf(key, existing);
    // An older value in the old generation is not found any more: the young one is asked first.
    entries.young.set(existing === undefined && copyKey !== undefined ? copyKey(key) : key, value);
    entries.youngBytes += growth;
    pool.grow(growth);
  };
  /** Moves an entry that is used again to the young generation. */
  const findOld = (key: K): V | undefined => {
    const found = takeOld(key);
    if (found !== undefined) put(key, found);
    return found;
  };

  const get =
    version === undefined
      ? (key: K): V | undefined => entries.young.get(key) ?? findOld(key)
      : (key: K, at?: CacheVersion): V | undefined => {
          const current = currentVersion();
          if (current === undefined || (at !== undefined && at !== current)) return undefined;
          return entries.young.get(key) ?? findOld(key);
        };
  const set = (key: K, value: V, madeAt = currentVersion()): void => {
    if (madeAt === undefined || madeAt !== currentVersion()) return;
    put(key, value);
  };
  return {
    get,
    set,
    delete: remove,
    version: currentVersion,
    getOrMake: (key, make) => {
      const found = get(key);
      if (found !== undefined) return found;
      const madeAt = currentVersion();
      const value = make(key);
      set(key, value, madeAt);
      return value;
    },
  };
}

/** Wraps a pure function with a cache of its results. A call that throws is not cached. */
export function cacheFunction<K, V extends NonNullable<unknown>>(
  name: CacheName,
  size: CacheOptions<K, V>['size'],
  compute: (key: K) => V,
): (key: K) => V {
  const { get, set } = createCache<K, V>(name, { size });
  return (key) => {
    const cached = get(key);
    if (cached !== undefined) return cached;
    const value = compute(key);
    set(key, value);
    return value;
  };
}

/** Bytes of an entry whose key and value are texts of one byte per character. */
export const textSize = (key: string, text: { readonly length: number }): number => key.length + text.length + 250;
