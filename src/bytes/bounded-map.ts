/**
 * A map that forgets what it has not been given lately once it is full. Only for what can be had again from the store.
 * Keys are not copied: ids, addresses and hashes made here, never pieces of a request (for those see `memo`).
 */
export type BoundedMap<K, V> = {
  readonly get: (key: K) => V | undefined;
  readonly set: (key: K, value: V) => void;
  readonly delete: (key: K) => void;
};

/** Two generations: when the young one has grown to half the size, the old one is dropped whole. Taking out the eldest one by one is slow. */
export function boundedMap<K, V>(maxSize: number): BoundedMap<K, V> {
  let young = new Map<K, V>();
  let old = new Map<K, V>();
  return {
    get: (key) => young.get(key) ?? old.get(key),
    set: (key, value) => {
      if (young.size >= maxSize / 2) {
        old = young;
        young = new Map();
      }
      young.set(key, value);
    },
    delete: (key) => {
      young.delete(key);
      old.delete(key);
    },
  };
}
