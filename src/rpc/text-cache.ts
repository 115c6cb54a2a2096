/** Rendered texts of things that never change, bounded by what they weigh; the least recently used go first. */
export type TextCache = {
  readonly get: (key: string) => string | undefined;
  readonly set: (key: string, text: string) => void;
};

export function createTextCache(maxCharacters: number): TextCache {
  const texts = new Map<string, string>();
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
      if (text.length * 4 > maxCharacters) return;
      held += text.length - (texts.get(key)?.length ?? 0);
      texts.delete(key);
      texts.set(key, text);
      for (const [oldest, gone] of texts) {
        if (held <= maxCharacters) break;
        texts.delete(oldest);
        held -= gone.length;
      }
    },
  };
}
