/** Rendered answers, texts or bytes, bounded by what they weigh; the least recently used go first. */
export type TextCache<T> = {
  readonly get: (key: string) => T | undefined;
  readonly set: (key: string, text: T) => void;
};

export function createTextCache<T extends { readonly length: number }>(maxLength: number): TextCache<T> {
  const texts = new Map<string, T>();
  let held = 0;
  return {
    get: (key) => {
      const text = texts.get(key);
      if (text !== undefined) {
        texts.delete(key);
        texts.set(key, text);
      }
      return text;
    },
    set: (key, text) => {
      // One giant must not push out everything else.
      if (text.length * 4 > maxLength) return;
      held += text.length - (texts.get(key)?.length ?? 0);
      texts.delete(key);
      texts.set(key, text);
      for (const [oldest, gone] of texts) {
        if (held <= maxLength) break;
        texts.delete(oldest);
        held -= gone.length;
      }
    },
  };
}
