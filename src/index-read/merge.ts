import type { Query, Steps } from '../index/steps.ts';

/** Rows in order, had piece by piece: `more` asks for those after a row, or for the first ones. */
export type Source<Row> = { readonly more: (after: Row | undefined, limit: number) => Query };

export type Merging<Row, Item> = {
  readonly sources: readonly Source<Row>[];
  readonly compare: (a: Row, b: Row) => number;
  /** What a row is in the list; undefined if it is not in it. */
  readonly pick: (row: Row) => Item | undefined;
  readonly limit: number;
};

/**
 * The first rows of many sources together, in order; one that several sources have is there once. Asks no source for much more than the page
 * may need of it, so that a page costs the same wherever in the list it is.
 */
export function* merged<Row, Item>({ sources, compare, pick, limit }: Merging<Row, Item>): Steps<Item[]> {
  const page: Item[] = [];
  let open = sources.map((source) => ({ source, last: undefined as Row | undefined, done: false }));
  let hungry = open;
  let waiting: Row[] = [];
  let size = firstSize(limit, sources.length);
  while (hungry.length > 0 && page.length < limit) {
    const answers = (yield hungry.map(({ source, last }) => source.more(last, size))) as readonly (readonly Row[])[];
    for (const [i, rows] of answers.entries()) {
      const one = hungry[i] as (typeof open)[number];
      for (const row of rows) waiting.push(row);
      one.last = rows[rows.length - 1] ?? one.last;
      one.done = rows.length < size;
    }
    open = open.filter(({ done }) => !done);
    // Up to here every source has been read; of what lies beyond, some may be missing yet.
    const ends = open.map(({ last }) => last as Row);
    const safe = ends.length === 0 ? undefined : ends.reduce((a, b) => (compare(a, b) <= 0 ? a : b));
    if (sources.length > 1) waiting.sort(compare);
    const rest = safe === undefined ? waiting.length : pastOf(waiting, safe, compare);
    for (const [i, row] of waiting.slice(0, rest).entries()) {
      if (page.length === limit) break;
      if (i > 0 && compare(waiting[i - 1] as Row, row) === 0) continue;
      const item = pick(row);
      if (item !== undefined) page.push(item);
    }
    waiting = waiting.slice(rest);
    hungry = safe === undefined ? [] : open.filter(({ last }) => compare(last as Row, safe) === 0);
    size = Math.min(size * 2, largestSize);
  }
  return page;
}

/** A few sources may each have to give the whole page; of many, each will give a part of it. */
const firstSize = (limit: number, sources: number): number =>
  Math.min(largestSize, sources <= 8 ? limit : Math.max(8, Math.ceil((limit * 4) / sources)));

const largestSize = 1024;

/** How many of the rows, which are in order, do not lie beyond one. */
function pastOf<Row>(rows: readonly Row[], last: Row, compare: (a: Row, b: Row) => number): number {
  let count = rows.length;
  while (count > 0 && compare(rows[count - 1] as Row, last) > 0) count--;
  return count;
}

/**
 * The answer of whichever is done first. They take turns; a contestant ends its turn by asking nothing. So if their turns cost the same, this
 * costs not much more than twice the cheaper way, without knowing beforehand which one it is.
 */
export function* firstDone<T>(contestants: readonly Steps<T>[]): Steps<T> {
  for (;;)
    for (const contestant of contestants) {
      let turn = contestant.next([]);
      while (turn.done !== true && turn.value.length > 0) turn = contestant.next(yield turn.value);
      if (turn.done === true) return turn.value;
    }
}
