import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import { idToBytes } from '../../base/bytes/id.ts';
import { u64Bytes } from '../../base/bytes/octets.ts';
import { type CacheVersion, createCache } from '../../base/cache/cache.ts';
import { isMovedSet, isUnspentSet } from '../index/output-set.ts';
import { type OutputSet, outputSets } from '../index/tables.ts';
import { outputNumber } from '../state/output-number.ts';
import { hasAsset } from '../state/stored-utxo.ts';
import type { Queries, Query } from '../store/queries.ts';
import { runTogether } from '../store/queries.ts';
import {
  type AmountList,
  type AmountPageStart,
  type AmountWalk,
  amountListSize,
  coversStart,
  createAmountListBuilder,
  extendList,
  walkAmounts,
} from './amount-list.ts';
import type { UtxoQuery } from './index-reads.ts';
import { amountBytesOf, positionComparator, type SortPosition, sortPositionOf } from './output-order.ts';
import type { OutputRow, OutputSources, ReadOutputRow } from './output-sources.ts';
import type { ChainOutputRow } from './read-chain-outputs.ts';
import type { OutputReads, StoredPinnedOutput } from './read-outputs.ts';

type AmountPage = {
  readonly query: UtxoQuery;
  /** The output sets to list. */
  readonly filled: readonly { readonly address: Address; readonly set: OutputSet }[];
  /** Position of the last output of the previous page. */
  readonly after: SortPosition | undefined;
  /** The list item made from a row; undefined leaves the row out. */
  readonly toItem: (row: OutputRow | ChainOutputRow) => StoredPinnedOutput | undefined;
};

/** When a list is kept, and how long it may be. */
export type ListLimits = {
  /** A list is kept if a page had to read this many outputs or more. */
  readonly min?: number;
  /** The most outputs that a list has. */
  readonly max?: number;
  /** This many newer outputs are read again for every page; more are added to the list. */
  readonly behind?: number;
};

/**
 * Reads pages of outputs ordered by amount. The outputs of an address are read and sorted; if there are more than a few hundred, their order is
 * kept as an `AmountList`, and only outputs that are newer than the list are read for the next page. If there are more than a list may have, the
 * next ones of the order are kept, so that hundreds of pages after each other read all outputs once. A list names outputs that were unspent
 * when it was built: each is looked up before it is shown, and outputs that were spent earlier but after the pinned block are found by the
 * caller. So a list is right for every pinned block; it ends with a revert.
 */
export function createAmountReads(sources: OutputSources, outputs: OutputReads, epoch: () => number, limits: ListLimits = {}) {
  const { min = 64, max, behind = 1024 } = limits;
  const lists = createCache<string, AmountList>('amountLists', { size: amountListSize, version: epoch });

  return function* readByAmount(page: AmountPage, usesLists = true): Queries<StoredPinnedOutput[]> {
    const { query, filled, after } = page;
    const start: AmountPageStart = { order: query.order, after, least: u64Bytes(query.minAmount) };
    const madeAt = lists.version();
    const found = createBestItems(query, after);
    // Outputs of later blocks are not shown as of the pinned block.
    const numbers = { newest: outputNumber(query.pin.lastTx + 1, 0) - 1, oldest: yield* sources.knownOldest() };
    const groups = ownerships(filled).map(({ address, sets }) =>
      createScan(sources, page, { address, sets, numbers, builder: createAmountListBuilder(start, max) }),
    );
    const walked: WalkedList[] = [];
    for (const scan of groups) {
      const kept = usesLists ? findList(scan.keys, start) : undefined;
      if (kept === undefined) continue;
      scan.readOnlyAround(kept.list);
      walked.push({ ...kept, scan, walk: walkAmounts(kept.list, start) });
    }
    const moved = filled.filter(({ set }) => isMovedSet(set)).map(({ address, set }) => createMovedScan(sources, page, address, set));
    const addRow = (row: OutputRow): void => found.add(page.toItem(row));
    const [, oldest] = yield* runTogether(runScans(outputs, [...groups, ...moved], addRow), sources.readOldest());
    if (oldest < numbers.oldest)
      yield* runScans(
        outputs,
        groups.map(({ between }) => createPlainScan(between(oldest - 1, numbers.oldest))),
        addRow,
      );
    for (const scan of groups) if (!walked.some((one) => one.scan === scan)) yield* keepList(scan, numbers, madeAt);
    const { spent, isCut } = yield* addListed(outputs, page, walked, found.add);
    // The page goes on behind the window of a list: all outputs are read, and the next ones kept.
    if (isCut) return yield* readByAmount(page, false);
    for (const { list } of walked) list.spentSince += spent;
    for (const one of walked) yield* updateList(one, numbers, madeAt);
    return found.list();
  };

  /** The list that a page can be read from, with its key. */
  function findList(keys: OwnScan['keys'], start: AmountPageStart): { readonly key: string; readonly list: AmountList } | undefined {
    for (const key of [keys.all, keys.first, keys.later]) {
      const list = lists.get(key);
      if (list !== undefined && coversStart(list, start)) return { key, list };
    }
    return undefined;
  }

  /** Keeps the order of a scan that read many outputs. */
  function* keepList({ builder, keys, isFirstPage, rowsRead }: OwnScan, numbers: Numbers, madeAt: CacheVersion): Queries<void> {
    if (rowsRead() < min) return;
    const list = yield* inTurns(builder.finish(numbers));
    const key = isFirstPage ? keys.first : keys.later;
    lists.set(list.window === undefined ? keys.all : key, list, madeAt);
  }

  /** Drops a list of which most outputs are spent; adds the newer outputs to one that is far behind. */
  function* updateList({ key, list, scan }: WalkedList, numbers: Numbers, madeAt: CacheVersion): Queries<void> {
    if (list.spentSince > list.seqs.length) return lists.delete(key);
    if (scan.rowsRead() <= behind) return;
    const longer = extendList(list, yield* inTurns(scan.builder.finish(numbers)), max);
    if (longer === undefined) lists.delete(key);
    else lists.set(key, longer, madeAt);
  }
}

type Numbers = { readonly newest: number; readonly oldest: number };

/** A list from which a page is read, its place in the cache, and the scan of the outputs that it does not have. */
type WalkedList = { readonly key: string; readonly list: AmountList; readonly scan: OwnScan; readonly walk: AmountWalk };

/** Runs long work in memory step by step. A long read pauses only at a query, so there is one after each step. */
function* inTurns<T>(work: Generator<void, T>): Queries<T> {
  let step = work.next();
  for (; step.done !== true; step = work.next()) yield [pausePoint];
  return step.value;
}

/** Adds the next outputs of the lists. Returns how many of them are no longer unspent, and whether a window ended before the page was full. */
function* addListed(
  { bySeqs }: OutputReads,
  { query, toItem }: AmountPage,
  walked: readonly WalkedList[],
  add: BestItems['add'],
): Queries<{ readonly spent: number; readonly isCut: boolean }> {
  const compare = positionComparator(query);
  const walks = walked.map(({ walk }) => walk);
  const isCut = (): boolean => walks.some((walk) => walk.isCut());
  const seen = new Set<number>();
  let [added, spent] = [0, 0];
  while (added < query.limit) {
    const seqs: number[] = [];
    // Behind the end of a window an output of another list may not be the next one.
    while (seqs.length < Math.max(query.limit - added, 16) && !isCut()) {
      const seq = nextOf(walks, compare);
      if (seq === undefined) break;
      if (seen.size !== seen.add(seq).size) seqs.push(seq);
    }
    if (seqs.length === 0) break;
    for (const row of yield* bySeqs(seqs)) {
      const item = toItem(row);
      add(item);
      if (item !== undefined) added++;
      else if (row.spent !== null) spent++;
    }
  }
  return { spent, isCut: added < query.limit && isCut() };
}

type OwnScan = Scan & {
  /** The keys of lists: of all outputs, and of windows that begin with the first output of an order or later. */
  readonly keys: { readonly all: string; readonly first: string; readonly later: string };
  readonly isFirstPage: boolean;
  readonly builder: AmountListBuilder;
  readonly rowsRead: () => number;
  /** The sources of outputs with numbers between two others. */
  readonly between: (above: number, below: number) => Scan['sources'];
  /** Reads only outputs that the list cannot have. */
  readonly readOnlyAround: (list: AmountList) => void;
};

type AmountListBuilder = ReturnType<typeof createAmountListBuilder>;

/** What a scan reads: one address's single-owner or multi-owner outputs between two numbers. */
type ScanRange = {
  readonly address: Address;
  readonly sets: readonly OutputSet[];
  readonly numbers: Numbers;
  readonly builder: AmountListBuilder;
};

function createScan(sources: OutputSources, { query, after }: AmountPage, { address, sets, numbers, builder }: ScanRange): OwnScan {
  const { newest, oldest } = numbers;
  const asset = query.asset === undefined ? undefined : idToBytes(query.asset);
  const source = (set: OutputSet, above: number, below: number) =>
    sources.inTimeOrder(address, set, 'asc', { above, below, moved: noMoved }, { ...query.pin, height: Number.MAX_SAFE_INTEGER });
  // Unspent outputs first: one that is spent meanwhile is then read twice, not missed.
  const ofAll = (above: number, below: number) => sets.map((set) => source(set, above, below));
  const all = listKey(address, sets, query.asset);
  let rows = 0;
  const scan: OwnScan = {
    keys: { all, first: `${all}${query.order}`, later: `${all}${query.order} later` },
    isFirstPage: after === undefined,
    builder,
    rowsRead: () => rows,
    between: ofAll,
    sources: ofAll(oldest - 1, newest + 1),
    last: undefined,
    onRow: (row: OutputRow) => {
      rows++;
      if (asset === undefined || hasAsset(row.bytes, asset)) builder.add(amountBytesOf(row.bytes), row.seq);
    },
    settle: builder.settle,
    readOnlyAround: (list: AmountList) => {
      scan.sources = [...ofAll(list.newest, newest + 1), ...(oldest < list.oldest ? ofAll(oldest - 1, list.oldest) : [])];
      if (newest <= list.newest && oldest >= list.oldest) scan.sources = [];
    },
  };
  return scan;
}

function createMovedScan(sources: OutputSources, { query }: AmountPage, address: Address, set: OutputSet): Scan {
  const all = { key: Number.MIN_SAFE_INTEGER, seq: Number.MIN_SAFE_INTEGER };
  const range = { above: 0, below: 0, moved: { after: all, end: Number.MAX_SAFE_INTEGER } };
  return createPlainScan([sources.inTimeOrder(address, set, 'asc', range, query.pin)]);
}

/** A scan that keeps no list. */
const createPlainScan = (sources: Scan['sources']): Scan => ({ sources, last: undefined, onRow: () => {}, settle: noWork });

function* noWork(): Generator<void, void> {}

/** A scan of rows: its sources are read one after the other, in chunks. */
type Scan = {
  sources: ReturnType<OutputSources['inTimeOrder']>[];
  last: ReadOutputRow | undefined;
  readonly onRow: (row: OutputRow) => void;
  /** Run after every chunk. */
  readonly settle: () => Generator<void, void>;
};

/** Reads a chunk of each scan in every turn. */
function* runScans({ addBytes }: OutputReads, scans: readonly Scan[], onRow: (row: OutputRow) => void): Queries<void> {
  for (;;) {
    const unfinished = scans.filter(({ sources }) => sources.length > 0);
    if (unfinished.length === 0) return;
    const chunks = (yield unfinished.map(({ sources: [source], last }) =>
      (source as NonNullable<typeof source>).queryAfter(last, chunkSize),
    )) as readonly (readonly ReadOutputRow[])[];
    // The bytes of all chunks at once, which takes few statements.
    const completed = yield* addBytes(chunks.flat());
    let at = 0;
    for (const [i, scan] of unfinished.entries()) {
      const rows = chunks[i] as readonly ReadOutputRow[];
      for (const row of completed.slice(at, at + rows.length)) {
        scan.onRow(row);
        onRow(row);
      }
      yield* inTurns(scan.settle());
      at += rows.length;
      scan.last = rows[chunkSize - 1];
      if (scan.last === undefined) scan.sources = scan.sources.slice(1);
    }
  }
}

type BestItems = {
  readonly add: (item: StoredPinnedOutput | undefined) => void;
  /** The first items of the list, each once. */
  readonly list: () => StoredPinnedOutput[];
};

/** Keeps the first `limit` of the items behind a position, in the order of the query. */
function createBestItems(query: UtxoQuery, after: SortPosition | undefined): BestItems {
  const { limit } = query;
  const compare = positionComparator(query);
  let best: { readonly position: SortPosition; readonly item: StoredPinnedOutput }[] = [];
  /** The last item of a full page: what is behind it needs no sorting. */
  let last: SortPosition | undefined;
  const cut = (): void => {
    best.sort((a, b) => compare(a.position, b.position));
    best = best.filter(({ item }, i) => best[i - 1]?.item.seq !== item.seq).slice(0, limit);
    last = best[limit - 1]?.position;
  };
  return {
    add: (item) => {
      if (item === undefined) return;
      const position = sortPositionOf('amount', item);
      if ((after !== undefined && compare(position, after) <= 0) || (last !== undefined && compare(position, last) > 0)) return;
      best.push({ position, item });
      if (best.length >= 2 * limit + chunkSize) cut();
    },
    list: () => {
      cut();
      return best.map(({ item }) => item);
    },
  };
}

function nextOf(walks: readonly AmountWalk[], compare: (a: SortPosition, b: SortPosition) => number): number | undefined {
  let first: AmountWalk | undefined;
  let firstAt: SortPosition | undefined;
  if (walks.length === 1) return walks[0]?.next();
  for (const walk of walks) {
    const at = walk.peek();
    if (at === undefined || (firstAt !== undefined && compare(at, firstAt) >= 0)) continue;
    [first, firstAt] = [walk, at];
  }
  return first?.next();
}

/** The sets of this chain's outputs by address, single-owner and multi-owner, in each the unspent one first. */
function ownerships(filled: AmountPage['filled']): { readonly address: Address; readonly sets: OutputSet[] }[] {
  const groups = new Map<string, { readonly address: Address; readonly sets: OutputSet[] }>();
  for (const { address, set } of filled) {
    if (isMovedSet(set)) continue;
    const key = `${address}${set === outputSets.unspent || set === outputSets.spent}`;
    const group = groups.get(key) ?? { address, sets: [] };
    groups.set(key, group);
    if (isUnspentSet(set)) group.sets.unshift(set);
    else group.sets.push(set);
  }
  return [...groups.values()];
}

const listKey = (address: Address, group: readonly OutputSet[], asset: Id | undefined): string =>
  `${address}${group.join('')}${asset ?? ''}`;

/** Rows of every query of a scan. A thousand rows take a few milliseconds. */
const chunkSize = 1024;

const noMoved = { after: { key: 0, seq: 0 }, end: 0 };

const pausePoint: Query = { text: 'SELECT 1 AS one', values: [] };
