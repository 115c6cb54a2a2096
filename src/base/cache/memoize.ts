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

/** What is opened when it is first used. */
type OpenedOnUse<A extends unknown[], T> = {
  /** Opens it at the first call; later calls return the same, unless opening has failed: then they try again. */
  readonly get: (...args: A) => Promise<T>;
  /** What is open or being opened; undefined if nothing is. */
  readonly current: () => Promise<T | undefined>;
};

export function openOnUse<A extends unknown[], T>(open: (...args: A) => Promise<T>): OpenedOnUse<A, T> {
  let opened: Promise<T> | undefined;
  return {
    get: (...args) => {
      opened ??= open(...args).catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
      return opened;
    },
    current: async () => opened?.catch(() => undefined),
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
