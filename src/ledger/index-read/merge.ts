import { type Queries, type Query, runTogether } from '../store/queries.ts';

/** Sorted rows, read in batches: `queryAfter` returns the query for the rows after a row, or for the first rows. */
export type RowSource<Row> = {
  readonly queryAfter: (after: Row | undefined, limit: number) => Query;
  /** Makes the rows from what the query returned, at most `limit`; without it the query returns the rows. */
  readonly rowsFrom?: (found: readonly unknown[], after: Row | undefined, limit: number) => readonly Row[];
};

/** Items of a list. `readTo`: the row up to which all sources were read, if they were not read to the end and there are fewer items than asked for. */
export type MergedPage<Row, Item> = { readonly items: Item[]; readonly readTo: Row | undefined };

/**
 * Merges sorted sources (one for each key range of a list) and returns the first `limit` items, without duplicates. It works in rounds: a round
 * reads a batch of each source that may have the next items. So a page costs the same at any depth.
 */
export function* mergeSources<Row, Full extends Row, Item>({
  sources,
  complete,
  compare,
  toItem,
  limit,
  filteredRows,
  maxRounds = filteredRows === undefined ? Number.POSITIVE_INFINITY : 2,
  rowsPerRound = 0,
}: {
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
  /** The page ends after this many rounds: after two of a filtered list, if nothing is given. */
  readonly maxRounds?: number;
  /** How many rows of all sources together a round reads at least, where that takes less time than another round: on PostgreSQL. */
  readonly rowsPerRound?: number | undefined;
}): Queries<MergedPage<Row, Item>> {
  const isFiltered = filteredRows !== undefined;
  const items: Item[] = [];
  function* completeRows(rows: readonly Row[]): Queries<readonly Full[]> {
    return complete === undefined ? (rows as readonly Full[]) : yield* complete(rows);
  }
  let unfinished: readonly SourceState<Row>[] = sources.map((source) => ({ source, last: undefined }));
  let toRead = unfinished;
  /** Rows that were read and are no items yet, in order. */
  let waiting: readonly Row[] = [];
  let batchSize = Math.max(firstBatchSize(limit, sources.length, isFiltered), Math.min(limit, Math.ceil(rowsPerRound / sources.length)));
  let readTo: Row | undefined;

  /** Reads the next batch of the sources of a round. */
  function* readBatches(): Queries<void> {
    const found = yield toRead.map(({ source, last }) => source.queryAfter(last, batchSize));
    const batches = toRead.map(({ source, last }, i) => batchOf(source, found[i] as readonly unknown[], last, batchSize));
    for (const [i, state] of toRead.entries()) state.last = batches[i]?.[batchSize - 1];
    unfinished = unfinished.filter(({ last }) => last !== undefined);
    waiting = [...waiting, ...batches.flat()].sort(compare);
  }

  /** Chooses what the next round reads, for a page that lacks `missing` items. */
  const planRound = (missing: number): void => {
    // A source whose batch ends behind all rows that the page may still need is not read again.
    const lastNeeded = waiting[missing - 1];
    toRead = unfinished.filter(({ last }) => lastNeeded === undefined || compare(last as Row, lastNeeded) <= 0);
    batchSize = Math.min(
      largestBatchSize,
      isFiltered
        ? filteredBatchSize(filteredRows, toRead.length)
        : Math.max(2 * batchSize, Math.min(limit, Math.ceil(rowsPerRound / toRead.length))),
    );
  };

  for (let round = 1, isRead = false; toRead.length > 0 && items.length < limit; round++) {
    if (!isRead) yield* readBatches();
    isRead = false;
    // Up to here every source was read. Behind it rows may be missing.
    readTo = unfinished
      .map(({ last }) => last as Row)
      .reduce<Row | undefined>((a, b) => (a === undefined || compare(b, a) < 0 ? b : a), undefined);
    const readyCount = readTo === undefined ? waiting.length : countUpTo(waiting, readTo, compare);
    const ready = waiting.slice(0, readyCount).filter((row, i) => i === 0 || compare(waiting[i - 1] as Row, row) !== 0);
    waiting = waiting.slice(readyCount);
    while (ready.length > 0 && items.length < limit) {
      // Of a filtered list nearly all rows are left out, so that all of them are completed at once.
      const next = ready.splice(0, isFiltered ? ready.length : limit - items.length);
      const missing = limit - items.length;
      // The page needs another round in any case: it is read in the same round trip in which these rows are completed.
      if (next.length < missing && round < maxRounds) {
        planRound(isFiltered ? missing : missing - next.length);
        isRead = toRead.length > 0;
      }
      const [rows] = yield* runTogether(completeRows(next), isRead ? readBatches() : nothing());
      for (const row of rows) {
        if (items.length === limit) break;
        const item = toItem(row);
        if (item !== undefined) items.push(item);
      }
    }

    if (round === maxRounds) break;
    if (!isRead) planRound(limit - items.length);
  }
  return { items, readTo: items.length < limit ? readTo : undefined };
}

function* nothing(): Queries<void> {}

/** A source and the last row of its last batch; undefined before the first batch, and after the last row of the source. */
type SourceState<Row> = { readonly source: RowSource<Row>; last: Row | undefined };

/** The rows of a batch of a source, from what its query returned. */
export const batchOf = <Row>(source: RowSource<Row>, found: readonly unknown[], after: Row | undefined, size: number): readonly Row[] =>
  source.rowsFrom === undefined ? (found as readonly Row[]) : source.rowsFrom(found, after, size);

/**
 * One of a few sources may have to fill the whole page; of many sources each fills only a part. If a whole page of each source were read, the
 * UTXOs of 60 addresses would take 9 ms, not 2.
 */
const firstBatchSize = (limit: number, sources: number, isFiltered: boolean): number =>
  Math.min(largestBatchSize, sources <= 8 ? limit : Math.max(isFiltered ? 64 : 8, Math.ceil((4 * limit) / sources)));

/** Rows of each source in the second and last round of a filtered list. */
const filteredBatchSize = (rows: number, sources: number): number => Math.max(Math.min(64, rows), Math.ceil(rows / sources));

/** The largest page and one more row, which shows that there is a next page. */
const largestBatchSize = 1025;

/** Number of the sorted rows that are not after `last`. */
function countUpTo<Row>(rows: readonly Row[], last: Row, compare: (a: Row, b: Row) => number): number {
  let count = rows.length;
  while (count > 0 && compare(rows[count - 1] as Row, last) > 0) count--;
  return count;
}
