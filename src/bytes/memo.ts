/**
 * A pure function with a memory of its last results: it changes what an answer costs, never what it is. What throws is not remembered.
 * A full memory is emptied: cheaper than keeping an order, and the few that matter are back at once.
 */
export function memo<K, V extends NonNullable<unknown>>(max: number, make: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const value = make(key);
    if (known.size >= max) known.clear();
    known.set(key, value);
    return value;
  };
}
