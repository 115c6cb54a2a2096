import { createLruMap } from '../bytes/lru-map.ts';

/** Rendered answers, texts or bytes, bounded by what they weigh; the least recently used go first. */
export type TextCache<T> = {
  /** What is kept under a key, made if it is not. */
  readonly of: (key: string, make: () => T) => T;
  readonly get: (key: string) => T | undefined;
};

export function createTextCache<T extends { readonly length: number }>(maxLength: number): TextCache<T> {
  const texts = createLruMap<T>();
  let held = 0;

  const keep = (key: string, text: T): void => {
    // One giant must not push out everything else.
    if (text.length * 4 > maxLength) return;
    held += text.length;
    texts.set(key, text);
    for (let oldest = texts.oldest(); held > maxLength && oldest !== undefined; oldest = texts.oldest()) {
      texts.delete(oldest.key);
      held -= oldest.value.length;
    }
  };

  return {
    get: texts.get,
    of: (key, make) => {
      const before = texts.get(key);
      if (before !== undefined) return before;
      const text = make();
      keep(key, text);
      return text;
    },
  };
}
