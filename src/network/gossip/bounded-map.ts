/**
 * A map that drops the entries set longest ago once it is full: what this node remembers of peers. Not a cache: its size is a rule of the
 * protocol and no part of `--cache-bytes`.
 */
export function boundedMap<K, V>(maxSize: number) {
  // Two generations: when the young one reaches half of `maxSize`, the old one is dropped as a whole. Evicting single keys is slower.
  let young = new Map<K, V>();
  let old = new Map<K, V>();
  return {
    get: (key: K): V | undefined => young.get(key) ?? old.get(key),
    set: (key: K, value: V): void => {
      if (young.size >= maxSize / 2) {
        old = young;
        young = new Map();
      }
      young.set(key, value);
    },
    delete: (key: K): void => {
      young.delete(key);
      old.delete(key);
    },
  };
}
