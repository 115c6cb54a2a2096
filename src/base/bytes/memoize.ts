import { copyText } from './copy-text.ts';

/**
 * Wraps a pure function with a cache of its results. A call that throws is not cached. A full cache is emptied: that is cheaper than
 * tracking use, and the keys in frequent use are soon cached again. String keys are copied, see `copyText`.
 */
export function memoize<K, V extends NonNullable<unknown>>(maxSize: number, compute: (key: K) => V): (key: K) => V {
  const cache = new Map<unknown, V>();
  return (key) => {
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const value = compute(key);
    if (cache.size >= maxSize) cache.clear();
    cache.set(typeof key === 'string' ? copyText(key) : key, value);
    return value;
  };
}
