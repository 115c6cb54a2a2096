import { createLruMap } from '../../base/bytes/lru-map.ts';

/** LRU cache of rendered responses (text or bytes), bounded by their total size in bytes. */
export type TextCache<T> = {
  /** Returns the cached value, or makes and caches it. */
  readonly getOrMake: (key: string, make: () => T) => T;
  readonly get: (key: string) => T | undefined;
};

export function createTextCache<T extends { readonly length: number }>(maxBytes: number): TextCache<T> {
  const texts = createLruMap<T>();
  let bytes = 0;

  const store = (key: string, text: T): void => {
    const size = sizeOf(key, text);
    // A very long text must not evict everything else.
    if (size * 4 > maxBytes) return;
    bytes += size;
    texts.set(key, text);
    for (let oldest = texts.oldest(); bytes > maxBytes && oldest !== undefined; oldest = texts.oldest()) {
      texts.delete(oldest.key);
      bytes -= sizeOf(oldest.key, oldest.value);
    }
  };

  return {
    get: texts.get,
    getOrMake: (key, make) => {
      const cached = texts.get(key);
      if (cached !== undefined) return cached;
      const text = make();
      store(key, text);
      return text;
    },
  };
}

/** Bytes of an entry, including an estimated overhead of 250. Rendered JSON is almost always ASCII, which takes one byte per character. */
const sizeOf = (key: string, text: { readonly length: number }): number => text.length + key.length + 250;
