/** A map that forgets what was put in first once it is full. Only for what can be had again from the store. */
export type BoundedMap<K, V> = Pick<Map<K, V>, 'get' | 'delete'> & { readonly set: (key: K, value: V) => void };

export function boundedMap<K, V>(maxSize: number): BoundedMap<K, V> {
  const entries = new Map<K, V>();
  return {
    get: (key) => entries.get(key),
    delete: (key) => entries.delete(key),
    set: (key, value) => {
      if (entries.size >= maxSize && !entries.has(key)) entries.delete(entries.keys().next().value as K);
      entries.set(key, value);
    },
  };
}
