import { placeholders } from './batched-statement.ts';
import type { SqlValue } from './sql.ts';
import type { Query } from './steps.ts';

/**
 * Builds queries that look up many keys at once, from a query text with an `IN (...)` list. A list has one of a few lengths, so that few
 * statements are prepared: the last key is repeated until a length is reached, which adds no rows. Lists longer than 64 keys were not
 * faster when measured.
 */
export function keyLookup(text: (keys: string) => string): (keys: readonly SqlValue[]) => Query[] {
  const texts = new Map(listLengths.map((length) => [length, text(placeholders(length))]));
  return (keys) => {
    const queries: Query[] = [];
    for (let at = 0; at < keys.length; at += maxListLength) {
      const list = keys.slice(at, at + maxListLength);
      const length = listLengths.find((length) => length >= list.length) ?? maxListLength;
      const last = list[list.length - 1] as SqlValue;
      while (list.length < length) list.push(last);
      queries.push({ text: texts.get(length) as string, values: list });
    }
    return queries;
  };
}

const listLengths = [1, 2, 4, 16, 64] as const;
const maxListLength = 64;
