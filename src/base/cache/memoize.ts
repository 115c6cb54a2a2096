/** Wraps a function so that it runs once for each key. Only for a fixed, small set of keys, such as chains or SQL texts: it never forgets. */
export function memoize<K, V extends NonNullable<unknown>>(compute: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = compute(key);
    made.set(key, value);
    return value;
  };
}
