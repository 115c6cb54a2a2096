/** Wraps a function so that it runs once for each key. Only for a fixed, small set of keys, such as chains or SQL texts: it never forgets. */
export function memoize<K, V extends NonNullable<unknown>>(compute: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = compute(key);
    made.set(key, value);
    return value;
  };
}

/** Returns a function that reads again only after a commit. `version`: see `Store`; while it is undefined, every call reads. */
export function cacheByVersion<T>(read: () => T, version: () => number | undefined): () => T {
  let cachedVersion: number | undefined;
  let cached: T | undefined;
  return () => {
    const current = version();
    if (current === undefined) return read();
    if (current === cachedVersion) return cached as T;
    cached = read();
    // The version from before the read: if there was a commit meanwhile, the next call reads again.
    cachedVersion = current;
    return cached;
  };
}
