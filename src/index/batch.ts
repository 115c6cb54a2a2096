import { marks } from './bulk.ts';
import type { SqlValue } from './sql.ts';
import type { Query } from './steps.ts';

/**
 * Queries that look many keys up at once. Few lengths of lists, so that few statements are prepared: what is left over is filled up with
 * its last key, which finds nothing twice. Longer lists gained nothing when measured.
 */
export function lookup(text: (keys: string) => string): (keys: readonly SqlValue[]) => Query[] {
  const texts = new Map(sizes.map((size) => [size, text(marks(size))]));
  return (keys) => {
    const queries: Query[] = [];
    for (let at = 0; at < keys.length; at += largest) {
      const some = keys.slice(at, at + largest);
      const size = sizes.find((size) => size >= some.length) ?? largest;
      const last = some[some.length - 1] as SqlValue;
      while (some.length < size) some.push(last);
      queries.push({ text: texts.get(size) as string, values: some });
    }
    return queries;
  };
}

const sizes = [1, 4, 16, 64] as const;
const largest = 64;
