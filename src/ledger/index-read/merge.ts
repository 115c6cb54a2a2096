import type { Queries, Query } from '../store/queries.ts';

/** Sorted rows, read in batches: `queryAfter` returns the query for the rows after a row, or for the first rows. */
export type RowSource<Row> = {
  readonly queryAfter: (after: Row | undefined, limit: number) => Query;
  /** Makes the rows from what the query returned, at most `limit`; without it the query returns the rows. */
  readonly rowsFrom?: (found: readonly unknown[], after: Row | undefined, limit: number) => readonly Row[];
};

type MergeOptions<Row, Full, Item> = {
  readonly sources: readonly RowSource<Row>[];
  /** Reads what the rows lack; without it they are complete. */
  readonly complete?: (rows: readonly Row[]) => Queries<readonly Full[]>;
  readonly compare: (a: Row, b: Row) => number;
  /** The list item made from a row; undefined leaves the row out. */
  readonly toItem: (row: Full) => Item | undefined;
  readonly limit: number;
  /**
   * For lists of which `toItem` leaves out most rows: how many rows of all sources together the page reads after the first ones, at most. Without it
   * the page reads until there are enough items.
   */
  readonly filteredRows?: number | undefined;
  /** How many rows of all sources together are read at once, where that takes less time than to read twice. */
  readonly rowsPerRound?: number | undefined;
};

/** Items of a list. `readTo`: the row up to which all sources were read, if they were not read to the end and there are fewer items than asked for. */
type MergedPage<Row, Item> = { readonly items: Item[]; readonly readTo: Row | undefined };

/**
 * Merges sorted sources and returns the first `limit` items, without duplicates. Reads little more from each source than the page may need,
 * so a page costs the same at any depth.
 */
export function* mergeSources<Row, Full extends Row, Item>(options: MergeOptions<Row, Full, Item>): Queries<MergedPage<Row, Item>> {
  const { sources, complete, compare, toItem, limit, filteredRows, rowsPerRound = 0 } = options;
  const isFiltered = filteredRows !== undefined;
  const maxRounds = isFiltered ? 2 : Number.POSITIVE_INFINITY;
  const page: Item[] = [];
  let unfinished = sources.map((source) => ({ source, last: undefined as Row | undefined, done: false }));
  let toRead = unfinished;
  let buffered: readonly Row[] = [];
  /** The rows that a source may be asked for without need: no more than a page has. */
  const spareRows = (count: number): number => Math.min(limit, largestSize, Math.ceil(rowsPerRound / count));
  let size = Math.max(firstSize(limit, sources.length, isFiltered ? 64 : 8), spareRows(sources.length));
  let readTo: Row | undefined;
  for (let round = 1; round <= maxRounds && toRead.length > 0 && page.length < limit; round++) {
    const found = yield toRead.map(({ source, last }) => source.queryAfter(last, size));
    const batches = toRead.map(({ source, last }, i) => {
      const rows = found[i] as readonly unknown[];
      return source.rowsFrom === undefined ? (rows as readonly Row[]) : source.rowsFrom(rows, last, size);
    });
    for (const [i, rows] of batches.entries()) {
      const state = toRead[i] as (typeof unfinished)[number];
      state.last = rows[rows.length - 1] ?? state.last;
      state.done = rows.length < size;
    }
    unfinished = unfinished.filter(({ done }) => !done);
    // Every source has been read up to here; behind it some rows may still be missing.
    const ends = unfinished.map(({ last }) => last as Row);
    const safe = ends.length === 0 ? undefined : ends.reduce((a, b) => (compare(a, b) <= 0 ? a : b));
    buffered = joinSorted([buffered, ...batches], compare);
    const readyCount = safe === undefined ? buffered.length : countUpTo(buffered, safe, compare);
    const ready = buffered.slice(0, readyCount).filter((row, i) => i === 0 || compare(buffered[i - 1] as Row, row) !== 0);
    for (let at = 0; at < ready.length && page.length < limit; ) {
      // Of a filtered list nearly all rows are left out, so that all of them are completed at once.
      const next = ready.slice(at, at + (isFiltered ? ready.length : limit - page.length));
      const rows = complete === undefined ? (next as readonly Row[] as readonly Full[]) : yield* complete(next);
      for (const row of rows) {
        if (page.length === limit) break;
        const item = toItem(row);
        if (item !== undefined) page.push(item);
      }
      at += next.length;
    }
    buffered = buffered.slice(readyCount);
    const missing = 1 - page.length / limit;
    // Where a second read costs more than rows, every source that goes on is read: one that is not would need a third.
    const share = unfinished.length * minShare < rowsPerRound / limit ? 1 : Math.max(missing, minShare);
    toRead = safe === undefined ? [] : nextToRead(unfinished, compare, share);
    const grown = Math.min(size * (missing > 0.5 ? 4 : 2), largestSize);
    size = isFiltered ? secondSize(filteredRows, toRead.length) : Math.max(grown, spareRows(toRead.length));
    readTo = safe;
  }
  return { items: page, readTo: page.length < limit ? readTo : undefined };
}

/**
 * The sources to read next: those that end first, and as large a share of all as of the page is missing, at least a
 * quarter. If a filter leaves out most rows, all of them are read again; reading one at a time would take a round trip for each.
 */
function nextToRead<Row, S extends { readonly last: Row | undefined }>(
  unfinished: readonly S[],
  compare: (a: Row, b: Row) => number,
  share: number,
): S[] {
  const count = Math.ceil(unfinished.length * share);
  if (count >= unfinished.length) return [...unfinished];
  return unfinished.toSorted((a, b) => compare(a.last as Row, b.last as Row)).slice(0, Math.max(1, count));
}

const minShare = 0.25;

/** One of a few sources may have to fill the whole page; of many sources each fills only a part. */
const firstSize = (limit: number, sources: number, least: number): number =>
  Math.min(largestSize, sources <= 8 ? limit : Math.max(least, Math.ceil((limit * 4) / sources)));

/** Rows of each source in the second round of a filtered list. */
const secondSize = (rows: number, sources: number): number =>
  Math.min(largestSize, Math.max(Math.min(64, rows), Math.ceil(rows / sources)));

/** The largest page and one more row, which shows that there is a next page. */
const largestSize = 1025;

/** Joins sorted lists to one. Merging a few lists takes a fraction of the comparisons that sorting takes. */
function joinSorted<Row>(lists: readonly (readonly Row[])[], compare: (a: Row, b: Row) => number): readonly Row[] {
  const filled = lists.filter(({ length }) => length > 0);
  const [first = [], ...others] = filled;
  if (filled.length > maxMerged) return filled.flat().sort(compare) as Row[];
  return others.reduce((joined, list) => mergeTwo(joined, list, compare), first);
}

/** With more lists, sorting all rows at once takes fewer comparisons. */
const maxMerged = 4;

function mergeTwo<Row>(a: readonly Row[], b: readonly Row[], compare: (a: Row, b: Row) => number): Row[] {
  const merged: Row[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) merged.push((compare(a[i] as Row, b[j] as Row) <= 0 ? a[i++] : b[j++]) as Row);
  while (i < a.length) merged.push(a[i++] as Row);
  while (j < b.length) merged.push(b[j++] as Row);
  return merged;
}

/** Number of the sorted rows that are not after `last`. */
function countUpTo<Row>(rows: readonly Row[], last: Row, compare: (a: Row, b: Row) => number): number {
  let count = rows.length;
  while (count > 0 && compare(rows[count - 1] as Row, last) > 0) count--;
  return count;
}
