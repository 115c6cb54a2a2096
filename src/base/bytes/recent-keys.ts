/** Which keys were added recently. Two keys may be taken for the same one, so it is only for decisions that may be wrong now and then. */
export type RecentKeys = {
  /** Adds a key; returns whether it had been added before. */
  readonly addAndCheck: (key: string) => boolean;
};

/**
 * Stores a 32-bit hash of each key, at most `maxSize`, in two generations: when the young one reaches half of `maxSize`, the old one is dropped
 * as a whole.
 */
export function createRecentKeys(maxSize: number): RecentKeys {
  let young = new Set<number>();
  let old = new Set<number>();
  return {
    addAndCheck: (key) => {
      const hash = hashText(key);
      const isKnown = young.has(hash) || old.has(hash);
      if (young.size >= maxSize / 2) {
        old = young;
        young = new Set();
      }
      young.add(hash);
      return isKnown;
    },
  };
}

/** FNV-1a, 32 bits. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
