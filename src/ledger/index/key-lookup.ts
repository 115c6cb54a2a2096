import { memoize } from '../../base/cache/memoize.ts';
import { placeholders } from './batched-statement.ts';
import type { SqlValue } from './sql.ts';
import type { Query } from './steps.ts';

/**
 * Builds queries that look up many keys at once, from a query text with an `IN (...)` list. A list has one of a few lengths, so that few
 * statements are prepared: the last key is repeated until a length is reached, which adds no rows. On SQLite lists longer than 64 keys are not
 * faster; on PostgreSQL each statement is a round trip, so that the outputs of a page of transactions are looked up with one.
 */
export function keyLookup(text: (keys: string) => string): (keys: readonly SqlValue[]) => Query[] {
  const textFor = memoize((length: number) => text(placeholders(length)));
  return (keys) => {
    const queries: Query[] = [];
    for (let at = 0; at < keys.length; at += maxListLength) {
      const list = keys.slice(at, at + maxListLength);
      const length = listLengths.find((length) => length >= list.length) ?? maxListLength;
      const last = list[list.length - 1] as SqlValue;
      while (list.length < length) list.push(last);
      queries.push({ text: textFor(length), values: list });
    }
    return queries;
  };
}

const listLengths = [1, 2, 4, 16, 64, 128, 256, 512, 1024] as const;
const maxListLength = 1024;
