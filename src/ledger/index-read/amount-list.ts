import { type CacheBudget, processCaches } from '../../base/cache/cache-budget.ts';
import type { SortPosition } from './output-order.ts';

/**
 * The outputs of one address ordered by amount, then by number. The database has no such order: the list is built when it is asked for. Lists
 * are never changed; outputs of later blocks have numbers above `newest`, outputs from before linearization that are added later below `oldest`.
 */
export type AmountList = AmountRun & {
  readonly newest: number;
  readonly oldest: number;
  /** Where a list of too many outputs has all of them; undefined: everywhere. */
  readonly window: Window | undefined;
  /** How many of its outputs readers found to be spent since. */
  spentSince: number;
};

/** Sorted amounts, as the two halves of a u64, and the numbers of their outputs. */
type AmountRun = { readonly high: Uint32Array; readonly low: Uint32Array; readonly seqs: Float64Array };

/** A position in the order of amounts. Any part may be infinite. */
type AmountPosition = { readonly high: number; readonly low: number; readonly seq: number };

/** A range of positions. An output at one of its ends is in the list, or is not asked for by a page that begins there. */
type Window = { readonly lower: AmountPosition; readonly upper: AmountPosition };

const infinity = Number.POSITIVE_INFINITY;
const lowest: AmountPosition = { high: -infinity, low: -infinity, seq: -infinity };
const highest: AmountPosition = { high: infinity, low: infinity, seq: infinity };

/** Where a page begins, and in which direction it goes: ascending from `least` (8 bytes) on, or descending down to it, behind `after`. */
export type AmountPageStart = { readonly order: 'asc' | 'desc'; readonly after: SortPosition | undefined; readonly least: Uint8Array };

/** The position behind which a page begins. */
function startOf({ order, after, least }: AmountPageStart): AmountPosition {
  // At equal amounts, outputs that moved between chains come after those of this chain.
  const behind = after && positionAt(after.key as Uint8Array, after.tie === undefined ? after.seq : infinity);
  if (order === 'desc') return behind ?? highest;
  const first = positionAt(least, -infinity);
  return behind === undefined || comparePositions(behind, first) < 0 ? first : behind;
}

const positionAt = (amount: Uint8Array, seq: number): AmountPosition => ({ high: u32(amount, 0), low: u32(amount, 4), seq });

/** Not a difference: that of two infinite numbers is NaN. */
const compareNumbers = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0);
const comparePositions = (a: AmountPosition, b: AmountPosition): number =>
  compareNumbers(a.high, b.high) || compareNumbers(a.low, b.low) || compareNumbers(a.seq, b.seq);

/** Whether a list has all outputs of a page that begins here, or at least the first ones. */
export function coversStart({ window }: AmountList, page: AmountPageStart): boolean {
  if (window === undefined) return true;
  const start = startOf(page);
  return comparePositions(start, window.lower) >= 0 && comparePositions(start, window.upper) <= 0;
}

/** Bytes of a list in the cache. */
export const amountListSize = (key: string, { seqs }: AmountList): number => key.length + seqs.length * bytesPerOutput + 500;

const bytesPerOutput = 16;

/** The longest list that is built: the cache takes no entry of more than a quarter of its bytes. */
export const maxListLength = (budget: Pick<CacheBudget, 'bytesOf'> = processCaches): number =>
  Math.floor(budget.bytesOf('amountLists') / 4 / bytesPerOutput) - 64;

/**
 * Collects outputs in runs, each of which is sorted when it is full, so that no turn has much to sort. Of more outputs than a list may have, it
 * keeps a window: half as many, the next ones of the page for which they are read.
 */
export function createAmountListBuilder(page: AmountPageStart, maxLength = maxListLength()) {
  let runs: AmountRun[] = [];
  let last: AmountPosition[] = [];
  let length = 0;
  let window: Window | undefined;

  function* mergeRuns(): Generator<void, AmountRun> {
    let merged = [...runs, sortedRun(last)];
    while (merged.length > 1) {
      const next: AmountRun[] = [];
      for (let i = 0; i < merged.length; i += 2) {
        const [a, b] = [merged[i] as AmountRun, merged[i + 1]];
        next.push(b === undefined ? a : merge(a, b));
        yield;
      }
      merged = next;
    }
    return merged[0] as AmountRun;
  }

  /** Merges the runs and drops all outputs but those of the window, if there are too many. */
  function* settle(): Generator<void, void> {
    if (length <= maxLength) return;
    const all = yield* mergeRuns();
    const start = startOf(page);
    const size = Math.max(1, Math.floor(maxLength / 2));
    const isAscending = page.order === 'asc';
    const from = isAscending ? countBelow(all, start, true) : Math.max(0, countBelow(all, start, false) - size);
    const to = isAscending ? Math.min(all.seqs.length, from + size) : countBelow(all, start, false);
    const [lower, upper] = [window?.lower ?? lowest, window?.upper ?? highest];
    window = isAscending
      ? { lower: start, upper: to < all.seqs.length ? positionIn(all, to - 1) : upper }
      : { lower: from > 0 ? positionIn(all, from) : lower, upper: start };
    runs = [sliceRun(all, from, to)];
    last = [];
    length = to - from;
  }

  return {
    /** Adds an output; `amount` has 8 bytes. `settle` is run after some thousands of them. */
    add: (amount: Uint8Array, seq: number): void => {
      const output = positionAt(amount, seq);
      if (window !== undefined && (comparePositions(output, window.lower) < 0 || comparePositions(output, window.upper) > 0)) return;
      last.push(output);
      length++;
      if (last.length < runLength) return;
      runs.push(sortedRun(last));
      last = [];
    },
    settle,
    /** Makes the list, a step for each two runs that are merged. */
    finish: function* (range: Pick<AmountList, 'newest' | 'oldest'>): Generator<void, AmountList> {
      yield* settle();
      return { ...(yield* mergeRuns()), ...range, window, spentSince: 0 };
    },
  };
}

/** Adds newer outputs to a list; undefined if it would be too long, or if they are a window only. */
export function extendList(list: AmountList, newer: AmountList, maxLength = maxListLength()): AmountList | undefined {
  if (newer.window !== undefined) return undefined;
  const { lower, upper } = list.window ?? { lower: lowest, upper: highest };
  const inside = sliceRun(newer, countBelow(newer, lower, false), countBelow(newer, upper, true));
  if (list.seqs.length + inside.seqs.length > maxLength) return undefined;
  return {
    ...merge(list, inside),
    newest: Math.max(list.newest, newer.newest),
    oldest: Math.min(list.oldest, newer.oldest),
    window: list.window,
    spentSince: list.spentSince,
  };
}

/** Walks a list from behind a position. */
export type AmountWalk = {
  readonly next: () => number | undefined;
  readonly peek: () => SortPosition | undefined;
  /** Whether the walk is at the end of the list's window, behind which there may be more outputs. */
  readonly isCut: () => boolean;
};

export function walkAmounts(list: AmountList, page: AmountPageStart): AmountWalk {
  const { high, low, seqs, window } = list;
  const start = startOf(page);
  const least = positionAt(page.least, -infinity);
  const isAscending = page.order === 'asc';
  const step = isAscending ? 1 : -1;
  const first = isAscending ? 0 : countBelow(list, least, false);
  let at = isAscending ? countBelow(list, start, true) : countBelow(list, start, false) - 1;
  const isEnd = (): boolean => at >= seqs.length || at < first;
  const endsAtWindow =
    window !== undefined && (isAscending ? window.upper !== highest : first === 0 && comparePositions(least, window.lower) < 0);
  return {
    isCut: () => endsAtWindow && isEnd(),
    peek: () => (isEnd() ? undefined : { key: amountBytes(high[at] as number, low[at] as number), seq: seqs[at] as number }),
    next: () => {
      if (isEnd()) return undefined;
      const seq = seqs[at];
      at += step;
      return seq;
    },
  };
}

/** Number of outputs before a position; `inclusive` counts an output at the position too. */
function countBelow({ high, low, seqs }: AmountRun, position: AmountPosition, inclusive: boolean): number {
  let [from, to] = [0, seqs.length];
  while (from < to) {
    const mid = (from + to) >>> 1;
    const order = (high[mid] as number) - position.high || (low[mid] as number) - position.low || (seqs[mid] as number) - position.seq;
    if (order < 0 || (inclusive && order === 0)) from = mid + 1;
    else to = mid;
  }
  return from;
}

const positionIn = ({ high, low, seqs }: AmountRun, at: number): AmountPosition => ({
  high: high[at] as number,
  low: low[at] as number,
  seq: seqs[at] as number,
});

const sliceRun = ({ high, low, seqs }: AmountRun, from: number, to: number): AmountRun => ({
  high: high.slice(from, to),
  low: low.slice(from, to),
  seqs: seqs.slice(from, to),
});

/** Outputs per run: to sort one takes about a millisecond. */
const runLength = 4096;

const newRun = (length: number): AmountRun => ({
  high: new Uint32Array(length),
  low: new Uint32Array(length),
  seqs: new Float64Array(length),
});

function sortedRun(outputs: AmountPosition[]): AmountRun {
  outputs.sort((a, b) => a.high - b.high || a.low - b.low || a.seq - b.seq);
  const run = newRun(outputs.length);
  for (const [i, { high, low, seq }] of outputs.entries()) {
    run.high[i] = high;
    run.low[i] = low;
    run.seqs[i] = seq;
  }
  return run;
}

function merge(a: AmountRun, b: AmountRun): AmountRun {
  const run = newRun(a.seqs.length + b.seqs.length);
  let [i, j] = [0, 0];
  for (let at = 0; at < run.seqs.length; at++) {
    const takesA = j >= b.seqs.length || (i < a.seqs.length && isBefore(a, i, b, j));
    if (takesA) copy(run, at, a, i++);
    else copy(run, at, b, j++);
  }
  return run;
}

function isBefore(a: AmountRun, i: number, b: AmountRun, j: number): boolean {
  const order = (a.high[i] as number) - (b.high[j] as number) || (a.low[i] as number) - (b.low[j] as number);
  return order < 0 || (order === 0 && (a.seqs[i] as number) <= (b.seqs[j] as number));
}

function copy(to: AmountRun, at: number, from: AmountRun, index: number): void {
  to.high[at] = from.high[index] as number;
  to.low[at] = from.low[index] as number;
  to.seqs[at] = from.seqs[index] as number;
}

const u32 = (bytes: Uint8Array, at: number): number =>
  (((bytes[at] as number) << 24) | ((bytes[at + 1] as number) << 16) | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number)) >>> 0;

function amountBytes(high: number, low: number): Uint8Array {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, high);
  view.setUint32(4, low);
  return bytes;
}
