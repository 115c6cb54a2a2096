import { createLruMap } from '../bytes/lru-map.ts';

/** LRU cache of rendered responses (text or bytes), bounded by their total length. */
export type TextCache<T> = {
  /** Returns the cached value, or makes and caches it. */
  readonly getOrMake: (key: string, make: () => T) => T;
  readonly get: (key: string) => T | undefined;
};

export function createTextCache<T extends { readonly length: number }>(maxLength: number): TextCache<T> {
  const texts = createLruMap<T>();
  let totalLength = 0;

  const store = (key: string, text: T): void => {
    // A very long text must not evict everything else.
    if (text.length * 4 > maxLength) return;
    totalLength += text.length;
    texts.set(key, text);
    for (let oldest = texts.oldest(); totalLength > maxLength && oldest !== undefined; oldest = texts.oldest()) {
      texts.delete(oldest.key);
      totalLength -= oldest.value.length;
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
