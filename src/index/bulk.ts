import type { SqlValue } from './sql.ts';
import type { Query } from './steps.ts';

/**
 * How many rows go into one statement, largest first, ending with 1. Few sizes, so that few statements are prepared.
 * SQLite gains nothing beyond sixteen; PostgreSQL has a round trip to save.
 */
export type Sizes = readonly number[];

/** Turns rows, given one after the other in a flat list, into queries. */
export type Bulk = (values: readonly SqlValue[]) => Query[];

export function bulk(sizes: Sizes, width: number, text: (rows: number) => string): Bulk {
  const texts = new Map<number, string>();
  const textFor = (rows: number): string => {
    const known = texts.get(rows);
    if (known !== undefined) return known;
    const made = text(rows);
    texts.set(rows, made);
    return made;
  };
  return (values) => {
    const queries: Query[] = [];
    let at = 0;
    for (const size of sizes)
      for (const step = size * width; at + step <= values.length; at += step)
        queries.push({ text: textFor(size), values: values.slice(at, at + step) });
    return queries;
  };
}

/** `(?,?),(?,?)`; what stands for each value can be said for the first row, from which PostgreSQL takes the types. */
export function tuples(rows: number, width: number, first?: readonly string[]): string {
  const row = `(${Array(width).fill('?').join(',')})`;
  const all = Array<string>(rows).fill(row);
  if (first !== undefined) all[0] = `(${first.join(',')})`;
  return all.join(',');
}

export const marks = (count: number): string => Array(count).fill('?').join(',');
