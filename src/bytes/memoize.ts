import { ownText } from './own-text.ts';

/**
 * A pure function with a cache of its last results: it changes what an answer costs, never what it is. What throws is not cached.
 * A full cache is emptied: cheaper than keeping an order, and the few that matter are back at once. Text keys are copied, see `ownText`.
 */
export function memoize<K, V extends NonNullable<unknown>>(max: number, make: (key: K) => V): (key: K) => V {
  const known = new Map<unknown, V>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const value = make(key);
    if (known.size >= max) known.clear();
    known.set(typeof key === 'string' ? ownText(key) : key, value);
    return value;
  };
}
