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
