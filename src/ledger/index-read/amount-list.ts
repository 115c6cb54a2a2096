import { readU32 } from '../../avm/tx/output-layout.ts';
import { u64Bytes } from '../../base/bytes/octets.ts';
import { type CacheBudget, processCaches } from '../../base/cache/cache-budget.ts';
import type { Order } from './index-reads.ts';
import type { SortPosition } from './output-order.ts';

/**
 * A cached part of a listing of outputs by amount: the next outputs behind a position, without a gap, in the order of the listing. The database
 * has no such order. It is sorted when a page is asked for (`read-by-amount.ts`), and without this list every page would sort all outputs
 * again: of 120,000 outputs a first page takes 250 ms, and the next one 3 ms with the list.
 *
 * A list is never changed. It has outputs with numbers from `oldest` to `newest`; a page reads the others itself: outputs of later blocks have
 * higher numbers, outputs from before linearization that are added later have lower ones.
 */
export type AmountList = SortedOutputs & {
  /** The position behind which the list begins. */
  readonly start: AmountPosition;
  /** Whether more outputs may follow the last one of the list. */
  readonly isCut: boolean;
  readonly newest: number;
  readonly oldest: number;
};

/** Outputs in the order of a listing: the two halves of their amounts, which are u64, and their numbers. 16 bytes each. */
type SortedOutputs = { readonly high: Uint32Array; readonly low: Uint32Array; readonly seqs: Float64Array };

const bytesPerOutput = 16;

/** A place in a listing: an amount, as two halves, then the number of an output. Any of them may be infinite. */
export type AmountPosition = { readonly high: number; readonly low: number; readonly seq: number };

/** The position behind which a page begins: after the last output of the page before, and not before the first output with `minAmount`. */
export function amountPageStart(order: Order, after: SortPosition | undefined, minAmount: bigint): AmountPosition {
  const infinity = Number.POSITIVE_INFINITY;
  const least = minAmount === 0n ? { high: -infinity, low: 0, seq: 0 } : positionBefore(minAmount);
  if (after === undefined) return order === 'asc' ? least : { high: infinity, low: 0, seq: 0 };
  // At equal amounts an ascending listing has this chain's outputs before those that moved between chains.
  const position = positionOf(after.key as Uint8Array, after.tie === undefined ? after.seq : infinity);
  return order === 'asc' && isBefore(order, position, least) ? least : position;
}

/** The position before all outputs with an amount. */
const positionBefore = (amount: bigint): AmountPosition => positionOf(u64Bytes(amount), Number.NEGATIVE_INFINITY);

/** The position of an output. `amount`: 8 bytes. */
const positionOf = (amount: Uint8Array, seq: number): AmountPosition => ({ high: readU32(amount, 0), low: readU32(amount, 4), seq });

/** Whether a page that begins behind `start` can be read from a list: the list has at least the first of its outputs, if there is one. */
export const coversStart = (list: AmountList, order: Order, start: AmountPosition): boolean =>
  !isBefore(order, start, list.start) && (!list.isCut || isBefore(order, start, lastOf(list)));

/** Where the outputs behind a position begin in a list. */
export function indexBehind(list: AmountList, order: Order, position: AmountPosition): number {
  let [from, to] = [0, list.seqs.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isBefore(order, position, outputAt(list, middle))) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Where the outputs with at least `minAmount` end in a list, if a page begins not before the first of them. */
export const indexOfEnd = (list: AmountList, order: Order, minAmount: bigint): number =>
  order === 'asc' ? list.seqs.length : indexBehind(list, order, positionBefore(minAmount));

/** Bytes of a list in the cache. */
export const amountListSize = (key: string, { seqs }: AmountList): number => key.length + seqs.length * bytesPerOutput + 500;

/** Outputs of a list at most: hundreds of pages. The cache takes no entry of more than a quarter of its bytes. */
export const maxListLength = (budget: Pick<CacheBudget, 'bytesOf'> = processCaches): number =>
  Math.max(1, Math.min(65_536, Math.floor(budget.bytesOf('amountLists') / 4 / bytesPerOutput) - 512));

/**
 * Collects outputs, in any order and each any number of times, to a list that begins behind `start`; or to a copy of the list `known`, which
 * begins there. Of more than `maxLength` outputs it keeps the first ones of the listing.
 */
export function createAmountListBuilder(order: Order, start: AmountPosition, maxLength: number, known?: AmountList) {
  let sorted: SortedOutputs = known ?? newOutputs(0);
  /** The last output of a list that is cut: of outputs behind it some may be missing. */
  let end = known?.isCut ? lastOf(known) : undefined;
  let unsorted: AmountPosition[] = [];

  const sort = (): void => {
    sorted = merge(order, sorted, toSorted(order, unsorted));
    unsorted = [];
    if (sorted.seqs.length <= maxLength) return;
    sorted = firstOutputs(sorted, maxLength);
    end = lastOf(sorted);
  };
  return {
    /** Adds an output; `amount` has 8 bytes. */
    add: (amount: Uint8Array, seq: number): void => {
      const output = positionOf(amount, seq);
      if (!isBefore(order, start, output) || (end !== undefined && isBefore(order, end, output))) return;
      unsorted.push(output);
      if (unsorted.length === sortedTogether) sort();
    },
    /** Returns the list. `newest`, `oldest`: the numbers between which all outputs were added. */
    finish: ({ newest, oldest }: Pick<AmountList, 'newest' | 'oldest'>): AmountList => {
      sort();
      return { ...sorted, start, isCut: end !== undefined, newest, oldest };
    },
  };
}

/** Outputs that are sorted and added to the list at once: that takes a few milliseconds, so other requests do not wait long. */
const sortedTogether = 8192;

const newOutputs = (length: number): SortedOutputs => ({
  high: new Uint32Array(length),
  low: new Uint32Array(length),
  seqs: new Float64Array(length),
});

const firstOutputs = ({ high, low, seqs }: SortedOutputs, count: number): SortedOutputs => ({
  high: high.slice(0, count),
  low: low.slice(0, count),
  seqs: seqs.slice(0, count),
});

const outputAt = ({ high, low, seqs }: SortedOutputs, at: number): AmountPosition => ({
  high: high[at] as number,
  low: low[at] as number,
  seq: seqs[at] as number,
});

const lastOf = (outputs: SortedOutputs): AmountPosition => outputAt(outputs, outputs.seqs.length - 1);

function toSorted(order: Order, outputs: AmountPosition[]): SortedOutputs {
  if (order === 'asc') outputs.sort((a, b) => a.high - b.high || a.low - b.low || a.seq - b.seq);
  else outputs.sort((a, b) => b.high - a.high || b.low - a.low || b.seq - a.seq);
  const sorted = newOutputs(outputs.length);
  for (const [i, { high, low, seq }] of outputs.entries()) {
    sorted.high[i] = high;
    sorted.low[i] = low;
    sorted.seqs[i] = seq;
  }
  return sorted;
}

/** Merges sorted outputs; one that is in both, or twice in one, is taken once. */
function merge(order: Order, a: SortedOutputs, b: SortedOutputs): SortedOutputs {
  const merged = newOutputs(a.seqs.length + b.seqs.length);
  const sign = order === 'asc' ? 1 : -1;
  let length = 0;
  let [i, j] = [0, 0];
  while (i < a.seqs.length || j < b.seqs.length) {
    const takesA = j >= b.seqs.length || (i < a.seqs.length && compareAt(a, i, b, j) * sign <= 0);
    const from = takesA ? a : b;
    const at = takesA ? i++ : j++;
    if (length > 0 && merged.seqs[length - 1] === from.seqs[at]) continue;
    merged.high[length] = from.high[at] as number;
    merged.low[length] = from.low[at] as number;
    merged.seqs[length] = from.seqs[at] as number;
    length++;
  }
  return length === merged.seqs.length ? merged : firstOutputs(merged, length);
}

const compareAt = (a: SortedOutputs, i: number, b: SortedOutputs, j: number): number =>
  (a.high[i] as number) - (b.high[j] as number) ||
  (a.low[i] as number) - (b.low[j] as number) ||
  (a.seqs[i] as number) - (b.seqs[j] as number);

const isBefore = (order: Order, a: AmountPosition, b: AmountPosition): boolean =>
  order === 'asc' ? comparePositions(a, b) < 0 : comparePositions(b, a) < 0;

/** The order of an ascending listing. Not by differences alone: that of two infinite numbers is NaN. */
const comparePositions = (a: AmountPosition, b: AmountPosition): number =>
  a.high !== b.high ? a.high - b.high : a.low !== b.low ? a.low - b.low : a.seq < b.seq ? -1 : a.seq > b.seq ? 1 : 0;
