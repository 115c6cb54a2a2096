import { type CacheBudget, processCaches } from '../../base/cache/cache-budget.ts';
import type { SortPosition } from './output-order.ts';

/**
 * The outputs of one address ordered by amount, then by number. The database has no such order: the list is built when it is asked for. Lists
 * are never changed; outputs of later blocks have numbers above `newest`, outputs from before linearization that are added later below `oldest`.
 */
export type AmountList = AmountRun & {
  readonly newest: number;
  readonly oldest: number;
  /** How many of its outputs readers found to be spent since. */
  spentSince: number;
};

/** Sorted amounts, as the two halves of a u64, and the numbers of their outputs. */
type AmountRun = { readonly high: Uint32Array; readonly low: Uint32Array; readonly seqs: Float64Array };

/** Bytes of a list in the cache. */
export const amountListSize = (key: string, { seqs }: AmountList): number => key.length + seqs.length * bytesPerOutput + 500;

const bytesPerOutput = 16;

/** The longest list that is built: the cache takes no entry of more than a quarter of its bytes. */
export const maxListLength = (budget: Pick<CacheBudget, 'bytesOf'> = processCaches): number =>
  Math.floor(budget.bytesOf('amountLists') / 4 / bytesPerOutput) - 64;

/** Collects outputs in runs, each of which is sorted when it is full, so that no turn has much to sort. */
export function createAmountListBuilder(maxLength = maxListLength()) {
  const runs: AmountRun[] = [];
  let last: { high: number; low: number; seq: number }[] = [];
  const length = (): number => runs.length * runLength + last.length;
  return {
    length,
    /** Adds an output; `amount` has 8 bytes. Outputs beyond the longest list are dropped. */
    add: (amount: Uint8Array, seq: number): void => {
      if (length() > maxLength) return;
      last.push({ high: u32(amount, 0), low: u32(amount, 4), seq });
      if (last.length < runLength) return;
      runs.push(sortedRun(last));
      last = [];
    },
    /** Merges the runs, a step for each two of them; undefined if there are more outputs than a list may have. */
    finish: function* (range: Pick<AmountList, 'newest' | 'oldest'>): Generator<void, AmountList | undefined> {
      if (length() > maxLength) return undefined;
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
      return { ...(merged[0] as AmountRun), ...range, spentSince: 0 };
    },
  };
}

/** Walks a list from behind a position. */
export type AmountWalk = { readonly next: () => number | undefined; readonly peek: () => SortPosition | undefined };

/** Ascending from `least` (8 bytes) on, or descending down to it; only outputs behind `after`. */
export function walkAmounts(list: AmountList, order: 'asc' | 'desc', after: SortPosition | undefined, least: Uint8Array): AmountWalk {
  const { high, low, seqs } = list;
  const first = countBelow(list, { key: least, seq: Number.NEGATIVE_INFINITY }, false);
  // At equal amounts, outputs that moved between chains come after those of this chain.
  const start = after && { key: after.key, seq: after.tie === undefined ? after.seq : Number.POSITIVE_INFINITY };
  const step = order === 'asc' ? 1 : -1;
  let at =
    order === 'asc'
      ? Math.max(first, start === undefined ? 0 : countBelow(list, start, true))
      : (start === undefined ? seqs.length : countBelow(list, start, false)) - 1;
  const isEnd = (): boolean => at >= seqs.length || at < first;
  return {
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
function countBelow({ high, low, seqs }: AmountRun, { key, seq }: SortPosition, inclusive: boolean): number {
  const [h, l] = [u32(key as Uint8Array, 0), u32(key as Uint8Array, 4)];
  let [from, to] = [0, seqs.length];
  while (from < to) {
    const mid = (from + to) >>> 1;
    const order = (high[mid] as number) - h || (low[mid] as number) - l || (seqs[mid] as number) - seq;
    if (order < 0 || (inclusive && order === 0)) from = mid + 1;
    else to = mid;
  }
  return from;
}

/** Outputs per run: to sort one takes about a millisecond. */
const runLength = 4096;

const newRun = (length: number): AmountRun => ({
  high: new Uint32Array(length),
  low: new Uint32Array(length),
  seqs: new Float64Array(length),
});

function sortedRun(outputs: { readonly high: number; readonly low: number; readonly seq: number }[]): AmountRun {
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
