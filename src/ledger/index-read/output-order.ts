import type { Utxo } from '../../avm/tx/utxo.ts';
import { compare, u64Bytes } from '../../base/bytes/octets.ts';
import { listedAmount } from '../index/output-amount.ts';
import { tiebreakerOf } from '../index/output-set.ts';
import type { SqlValue } from '../index/sql.ts';
import { isMovedOutput } from '../state/output-number.ts';
import { decodeStoredUtxo, isTransfer, type StoredUtxo, storedAmountBytes } from '../state/stored-utxo.ts';
import type { UtxoQuery } from './index-reads.ts';

/**
 * Position of an output in a sorted list: by time or amount (`key`, the amount as 8 bytes), then by `tie`, then by `seq`. Only outputs that
 * moved between chains have a tiebreaker (the first bytes of their ID): which number they have depends on the order in which the chains
 * were indexed. The numbers of this chain's outputs are in the order of time.
 */
export type SortPosition = { readonly key: number | Uint8Array; readonly tie?: Uint8Array; readonly seq: number };

export type OutputSort = Pick<UtxoQuery, 'sortBy' | 'order'>;

type SortedOutput = { readonly seq: number; readonly time: number; readonly stored: StoredUtxo; readonly utxo: Utxo };

export function sortPositionOf(sortBy: OutputSort['sortBy'], output: SortedOutput): SortPosition {
  const { seq, time, stored } = output;
  const key = sortBy === 'timestamp' ? time : amountBytesOf(stored);
  return isMovedOutput(seq) ? { key, tie: tiebreakerOf(output.utxo), seq } : { key, seq };
}

/** The amount that a stored output is sorted by, as 8 bytes. */
export const amountBytesOf = (stored: StoredUtxo): Uint8Array =>
  isTransfer(stored) ? storedAmountBytes(stored) : u64Bytes(listedAmount(decodeStoredUtxo(stored).output));

export function positionComparator({ order }: Pick<OutputSort, 'order'>): (a: SortPosition, b: SortPosition) => number {
  const ascending = (a: SortPosition, b: SortPosition) => compareKeys(a.key, b.key) || compareTies(a.tie, b.tie) || a.seq - b.seq;
  return order === 'asc' ? ascending : (a, b) => ascending(b, a);
}

/** A part of the list of outputs that moved between chains, by time: from behind the position `after` up to and including the time `end`. */
export type KeyRange = { readonly after: SortPosition; readonly end: number };

/** The range of a whole list up to a time. */
export const fullKeyRange = (order: OutputSort['order'], lastTime: number): KeyRange =>
  order === 'asc'
    ? { after: { key: 0, tie: noTie, seq: Number.MIN_SAFE_INTEGER }, end: lastTime }
    : { after: { key: lastTime, tie: aboveAnyTie, seq: Number.MAX_SAFE_INTEGER }, end: 0 };

/** The SQL condition and order of a key range, on a table with the alias h. `keyRangeValues` returns its parameters. */
export const keyRangeSql = (order: OutputSort['order']): string =>
  order === 'asc'
    ? '(h.time, h.tie, h.seq) > (?, ?, ?) AND h.time <= ? ORDER BY h.time, h.tie, h.seq'
    : '(h.time, h.tie, h.seq) < (?, ?, ?) AND h.time >= ? ORDER BY h.time DESC, h.tie DESC, h.seq DESC';

export const keyRangeValues = ({ after, end }: KeyRange): SqlValue[] => [after.key, after.tie ?? noTie, after.seq, end];

const compareKeys = (a: SortPosition['key'], b: SortPosition['key']): number =>
  typeof a === 'number' ? a - (b as number) : compare(a, b as Uint8Array);

const noTie = new Uint8Array(0);

/** At equal time or amount the outputs of this chain, which have no tiebreaker, come first. */
const compareTies = (a: Uint8Array | undefined, b: Uint8Array | undefined): number => (a === b ? 0 : compare(a ?? noTie, b ?? noTie));

/** Greater than any tiebreaker: those have 8 bytes. */
const aboveAnyTie = new Uint8Array(9).fill(0xff);
