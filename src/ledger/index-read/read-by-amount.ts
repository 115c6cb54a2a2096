import type { Address } from '../../base/bytes/address.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { compare as compareBytes, u64Bytes } from '../../base/bytes/octets.ts';
import { createCache } from '../../base/cache/cache.ts';
import { isMovedSet, isUnspentSet } from '../index/output-set.ts';
import type { OutputSet } from '../index/tables.ts';
import { isMovedOutput, outputNumber } from '../state/output-number.ts';
import { decodeStoredUtxo } from '../state/stored-utxo.ts';
import { type Queries, raceQueries, runTogether } from '../store/queries.ts';
import {
  type AmountList,
  type AmountPosition,
  amountListSize,
  amountPageStart,
  coversStart,
  createAmountListBuilder,
  indexBehind,
  indexOfEnd,
  maxListLength,
} from './amount-list.ts';
import type { AssetRanges } from './asset-ranges.ts';
import type { PinnedBlock, UtxoQuery } from './index-reads.ts';
import { batchOf, type RowSource } from './merge.ts';
import { amountBytesOf, positionComparator, type SortPosition, sortPositionOf } from './output-order.ts';
import type { OutputRange, OutputRow, OutputSources, ReadOutputRow } from './output-sources.ts';
import type { ChainOutputRow } from './read-chain-outputs.ts';
import type { OutputReads, StoredPinnedOutput } from './read-outputs.ts';

type AmountPage = {
  readonly query: UtxoQuery;
  /** The output sets to list. */
  readonly filled: readonly { readonly address: Address; readonly set: OutputSet }[];
  /** Position of the last output of the previous page. */
  readonly after: SortPosition | undefined;
  /** The list item made from a row, whatever its amount; undefined leaves the row out. */
  readonly toItem: (row: OutputRow | ChainOutputRow) => StoredPinnedOutput | undefined;
};

/** For tests: when a list is cached, how long it may be, when it is renewed, and how its rows are read. */
export type ListLimits = {
  /** A list is cached if a page had to read this many outputs or more. */
  readonly min?: number;
  /** The most outputs that a list has. */
  readonly max?: number;
  /** A list is renewed if a page found more outputs than this that are newer than the list, or spent since. */
  readonly stale?: number;
  /** Rows of every query of a scan. */
  readonly chunk?: number;
};

/**
 * Creates the reads of pages of outputs ordered by amount (`sortBy=amount`); `createUtxoReads` uses it. All outputs of the addresses are read and
 * the first ones taken; the next ones are cached as an `AmountList`. The next page takes outputs from the list, and reads only those that are
 * newer than the list. A list names outputs that were unspent when it was made: each is looked up before it is shown, and outputs that were spent
 * since the pinned block, but before the list was made, are found by the caller. So a list is right for every pinned block. It ends with
 * a revert.
 */
export function createAmountReads(
  sources: OutputSources,
  assetRanges: AssetRanges,
  outputs: OutputReads,
  epoch: () => number,
  limits: ListLimits = {},
) {
  const { min = 64, max = maxListLength(), stale = 1024, chunk = chunkSize } = limits;
  const lists = createCache<string, AmountList>('amountLists', { size: amountListSize, version: epoch });

  function* readByAmount(page: AmountPage, usesList = true): Queries<StoredPinnedOutput[]> {
    const { query, filled, after, toItem } = page;
    const start = amountPageStart(query.order, after, query.minAmount);
    const readAt = lists.version();
    // Outputs of later blocks are not shown as of the pinned block.
    const numbers: NumberRange = { oldest: yield* sources.knownOldest(), newest: outputNumber(query.pin.lastTx + 1, 0) - 1 };
    const [firstKey, laterKey] = listKeys(page);
    const key = usesList ? [firstKey, laterKey].find((one) => covers(lists.get(one), query, start)) : undefined;
    const list = key === undefined ? undefined : lists.get(key);

    const best = createBestItems(query, after);
    const builder = createAmountListBuilder(query.order, list?.start ?? start, max, list);
    let rowsRead = 0;
    const addRow = (row: OutputRow): void => {
      const item = toItem(row);
      best.add(item);
      if (isMovedOutput(row.seq)) return;
      rowsRead++;
      if (item !== undefined) builder.add(amountBytesOf(row.bytes), row.seq);
    };
    const ownSets = filled.filter(({ set }) => !isMovedSet(set));
    // Unspent outputs first: one that is spent meanwhile is then read twice, not missed.
    const unspentSets = ownSets.filter(({ set }) => isUnspentSet(set));
    const spentSets = ownSets.filter(({ set }) => !isUnspentSet(set));
    const movedSets = filled.filter(({ set }) => isMovedSet(set));
    function* readRows(): Queries<void> {
      const ranges = rangesOutside(list, numbers);
      yield* runTogether(scanUnspent(unspentSets, ranges, page, addRow), scan(movedSourcesOf(sources, movedSets, query), addRow));
      yield* scan(sourcesOf(sources, spentSets, ranges, query), addRow);
    }
    const [, oldest] = yield* runTogether(readRows(), sources.readOldest());
    // Outputs from before linearization that were added meanwhile. The list does not get them: the next page reads them again.
    if (oldest < numbers.oldest)
      yield* scan(sourcesOf(sources, [...unspentSets, ...spentSets], [{ above: oldest - 1, below: numbers.oldest }], query), (row) =>
        best.add(toItem(row)),
      );

    if (list === undefined) {
      if (rowsRead >= min) lists.set(Number.isFinite(start.high) ? laterKey : firstKey, builder.finish(numbers), readAt);
      return best.list();
    }
    const { spent, isEnough } = yield* takeListed(list, start, page, best.add);
    // The page goes on behind the end of the list: all outputs are read, and the next ones cached.
    if (!isEnough) return yield* readByAmount(page, false);
    if (spent > stale) lists.delete(key as string);
    else if (rowsRead > stale) lists.set(key as string, builder.finish(joinRanges(list, numbers)), readAt);
    return best.list();
  }

  /** Adds the next outputs of a list to a page. `spent`: how many of them are spent by now. `isEnough`: no output behind the list is needed. */
  function* takeListed(
    list: AmountList,
    start: AmountPosition,
    { query: { order, limit, minAmount }, toItem }: AmountPage,
    add: (item: StoredPinnedOutput | undefined) => void,
  ): Queries<{ readonly spent: number; readonly isEnough: boolean }> {
    let [added, spent] = [0, 0];
    const end = indexOfEnd(list, order, minAmount);
    for (let at = indexBehind(list, order, start); added < limit && at < end; ) {
      const seqs = [...list.seqs.subarray(at, Math.min(end, at + Math.max(limit - added, 16)))];
      at += seqs.length;
      for (const row of yield* outputs.bySeqs(seqs)) {
        const item = toItem(row);
        add(item);
        if (item !== undefined) added++;
        else if (row.spent !== null) spent++;
      }
    }
    return { spent, isEnough: added >= limit || end < list.seqs.length || !list.isCut };
  }

  /**
   * Reads the rows of unspent outputs. Those of one asset in one of two ways, whichever ends first: all outputs, or the ranges where the asset is. The rows
   * are then those that `toItem` does not leave out.
   */
  function* scanUnspent(
    sets: AmountPage['filled'],
    ranges: readonly SourceRange[],
    { query, toItem }: AmountPage,
    onRow: (row: OutputRow) => void,
  ): Queries<void> {
    const { asset } = query;
    const all = sourcesOf(sources, sets, ranges, query);
    if (asset === undefined) return yield* scan(all, onRow);
    function* collect(from: readonly OutputSource[]): Queries<OutputRow[]> {
      const rows: OutputRow[] = [];
      yield* scan(from, (row) => void (toItem(row) !== undefined && rows.push(row)), true);
      return rows;
    }
    function* collectInRanges(): Queries<OutputRow[]> {
      const from: OutputSource[] = [];
      for (const range of ranges) {
        const some = yield* assetRanges.sourcesOf(
          sets,
          idToBytes(asset as Id),
          { order: 'asc', pin: noPin(query), includeSpent: false },
          withoutMoved(range),
        );
        if (some === undefined) return yield* collect(all);
        from.push(...some);
      }
      return yield* collect(from);
    }
    for (const row of yield* raceQueries([collect(all), collectInRanges()])) onRow(row);
  }

  /** Reads all rows of sources, a chunk of each source in every turn. `isRaced`: see `raceQueries`. */
  function* scan(all: readonly OutputSource[], onRow: (row: OutputRow) => void, isRaced = false): Queries<void> {
    let unfinished = all.map((source) => ({ source, last: undefined as ReadOutputRow | undefined }));
    while (unfinished.length > 0) {
      const found = yield unfinished.map(({ source, last }) => source.queryAfter(last, chunk));
      const chunks = unfinished.map(({ source, last }, i) => batchOf(source, found[i] as readonly unknown[], last, chunk));
      // The bytes of all chunks at once, which takes few statements.
      for (const row of yield* outputs.completeRows(chunks.flat())) onRow(row);
      unfinished = unfinished.map(({ source }, i) => ({ source, last: chunks[i]?.[chunk - 1] })).filter(({ last }) => last !== undefined);
      if (isRaced && unfinished.length > 0) yield [];
    }
  }

  return (page: AmountPage) => readByAmount(page);
}

type OutputSource = RowSource<ReadOutputRow>;

/** Numbers of outputs, both ends included. */
type NumberRange = Pick<AmountList, 'oldest' | 'newest'>;

/** Numbers of outputs between two others. */
type SourceRange = { readonly above: number; readonly below: number };

/** The sources of this chain's outputs with numbers in some ranges. */
const sourcesOf = (
  sources: OutputSources,
  sets: AmountPage['filled'],
  ranges: readonly SourceRange[],
  { pin }: UtxoQuery,
): OutputSource[] =>
  sets.flatMap(({ address, set }) => ranges.map((range) => sources.inTimeOrder(address, set, 'asc', withoutMoved(range), noPin({ pin }))));

const withoutMoved = ({ above, below }: SourceRange): OutputRange => ({ above, below, moved: { after: { key: 0, seq: 0 }, end: 0 } });

/** Lists as of an earlier block are made from the newest rows. */
const noPin = ({ pin }: Pick<UtxoQuery, 'pin'>): PinnedBlock => ({ ...pin, height: Number.MAX_SAFE_INTEGER });

/** The sources of all outputs that moved between chains. Few addresses have many of them. */
const movedSourcesOf = (sources: OutputSources, sets: AmountPage['filled'], { pin }: UtxoQuery): OutputSource[] =>
  sets.map(({ address, set }) => {
    const first = { key: Number.MIN_SAFE_INTEGER, seq: Number.MIN_SAFE_INTEGER };
    return sources.inTimeOrder(address, set, 'asc', { above: 0, below: 0, moved: { after: first, end: Number.MAX_SAFE_INTEGER } }, pin);
  });

/** The ranges of numbers that a list does not have: of all outputs, or of those that are newer or older than the list. */
function rangesOutside(list: AmountList | undefined, { oldest, newest }: NumberRange): SourceRange[] {
  if (list === undefined) return [{ above: oldest - 1, below: newest + 1 }];
  const [newer, older] = [
    { above: list.newest, below: newest + 1 },
    { above: oldest - 1, below: list.oldest },
  ];
  return [...(newest > list.newest ? [newer] : []), ...(oldest < list.oldest ? [older] : [])];
}

const joinRanges = (a: NumberRange, b: NumberRange): NumberRange => ({
  oldest: Math.min(a.oldest, b.oldest),
  newest: Math.max(a.newest, b.newest),
});

const covers = (list: AmountList | undefined, { order }: UtxoQuery, start: AmountPosition): boolean =>
  list !== undefined && coversStart(list, order, start);

/**
 * The keys of a listing's cached lists: of the list that begins with the first of all outputs, and of one that begins later. Pages with any
 * `minAmount` use the same lists.
 */
function listKeys({ query: { asset, includeSpent, order, ownership }, filled }: AmountPage): readonly [string, string] {
  const sets = filled.map(({ address, set }) => `${address}${set}`).join('');
  const key = `${sets} ${asset} ${includeSpent} ${order} ${ownership}`;
  return [key, `${key} later`];
}

/** A thousand rows take a few milliseconds. */
const chunkSize = 1024;

/** Keeps the first `limit` of the items behind a position that have at least `minAmount`, in the order of the query. */
function createBestItems(query: UtxoQuery, after: SortPosition | undefined) {
  const { limit } = query;
  const compare = positionComparator(query);
  const least = u64Bytes(query.minAmount);
  let best: { readonly position: SortPosition; readonly item: StoredPinnedOutput }[] = [];
  /** The last item of a full page: what is behind it needs no sorting. */
  let last: SortPosition | undefined;
  const cut = (): void => {
    best.sort((a, b) => compare(a.position, b.position));
    best = best.filter(({ item }, i) => best[i - 1]?.item.seq !== item.seq).slice(0, limit);
    last = best[limit - 1]?.position;
  };
  return {
    add: (item: StoredPinnedOutput | undefined): void => {
      if (item === undefined) return;
      const position = sortPositionOf('amount', item);
      if (compareBytes(position.key as Uint8Array, least) < 0) {
        // The amount is of unverified bytes: a damaged output must be an error, not a missing item.
        decodeStoredUtxo(item.stored);
        return;
      }
      if ((after !== undefined && compare(position, after) <= 0) || (last !== undefined && compare(position, last) > 0)) return;
      best.push({ position, item });
      if (best.length >= 2 * limit + chunkSize) cut();
    },
    /** The first items, each once. */
    list: (): StoredPinnedOutput[] => {
      cut();
      return best.map(({ item }) => item);
    },
  };
}
