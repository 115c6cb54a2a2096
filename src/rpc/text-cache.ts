/** Rendered answers, texts or bytes, bounded by what they weigh; the least recently used go first. */
export type TextCache<T> = {
  /** What is kept under a key, made if it is not. */
  readonly of: (key: string, make: () => T) => T;
};

export function createTextCache<T extends { readonly length: number }>(maxLength: number): TextCache<T> {
  const texts = new Map<string, T>();
  let held = 0;

  const keep = (key: string, text: T): void => {
    // One giant must not push out everything else.
    if (text.length * 4 > maxLength) return;
    held += text.length;
    texts.set(key, text);
    for (const [oldest, gone] of texts) {
      if (held <= maxLength) break;
      texts.delete(oldest);
      held -= gone.length;
    }
  };

  return {
    of: (key, make) => {
      const before = texts.get(key);
      if (before === undefined) {
        const text = make();
        keep(key, text);
        return text;
      }
      texts.delete(key);
      texts.set(key, before);
      return before;
    },
  };
}
