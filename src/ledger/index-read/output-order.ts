import type { Utxo } from '../../avm/tx/utxo.ts';
import { compare, u64Bytes } from '../../base/bytes/octets.ts';
import { listedAmount } from '../index/output-amount.ts';
import { tiebreakerOf } from '../index/output-set.ts';
import type { SqlValue } from '../index/sql.ts';
import type { UtxoQuery } from './index-reads.ts';

/** Position of an output in a sorted list: by time or amount (`key`), then by the first bytes of its id (`tie`, the tiebreaker), then by `seq`. */
export type SortPosition = { readonly key: number | Uint8Array; readonly tie: Uint8Array; readonly seq: number };

export type OutputSort = Pick<UtxoQuery, 'sortBy' | 'order'>;

export const sortPositionOf = (
  sortBy: OutputSort['sortBy'],
  output: { readonly seq: number; readonly time: number; readonly utxo: Utxo },
): SortPosition => ({
  key: sortBy === 'timestamp' ? output.time : u64Bytes(listedAmount(output.utxo.output)),
  tie: tiebreakerOf(output.utxo),
  seq: output.seq,
});

export function positionComparator({ order }: OutputSort): (a: SortPosition, b: SortPosition) => number {
  const ascending = (a: SortPosition, b: SortPosition) => compareKeys(a.key, b.key) || compare(a.tie, b.tie) || a.seq - b.seq;
  return order === 'asc' ? ascending : (a, b) => ascending(b, a);
}

/** A part of a list: from behind the position `after` up to and including the key `end`. */
export type KeyRange = { readonly after: SortPosition; readonly end: SortPosition['key'] };

/** The key range of a whole list: up to the time of the pinned block, or from the minimum amount on. */
export function fullKeyRange({ sortBy, order }: OutputSort, pinTime: number, minAmount: bigint): KeyRange {
  const [lowest, highest] = sortBy === 'timestamp' ? [0, pinTime] : [u64Bytes(minAmount), aboveAnyKey];
  return order === 'asc'
    ? { after: { key: lowest, tie: emptyBytes, seq: Number.MIN_SAFE_INTEGER }, end: highest }
    : { after: { key: highest, tie: aboveAnyKey, seq: Number.MAX_SAFE_INTEGER }, end: lowest };
}

/** The SQL condition and order of a key range, on a table with the alias h. `keyRangeValues` returns its parameters. */
export const keyRangeSql = (column: string, { order }: OutputSort): string =>
  order === 'asc'
    ? `(h.${column}, h.tie, h.seq) > (?, ?, ?) AND h.${column} <= ? ORDER BY h.${column}, h.tie, h.seq`
    : `(h.${column}, h.tie, h.seq) < (?, ?, ?) AND h.${column} >= ? ORDER BY h.${column} DESC, h.tie DESC, h.seq DESC`;

export const keyRangeValues = ({ after, end }: KeyRange): SqlValue[] => [after.key, after.tie, after.seq, end];

const compareKeys = (a: SortPosition['key'], b: SortPosition['key']): number =>
  typeof a === 'number' ? a - (b as number) : compare(a, b as Uint8Array);

const emptyBytes = new Uint8Array(0);

/** Greater than any amount or tiebreaker: those have 8 bytes. */
const aboveAnyKey = new Uint8Array(9).fill(0xff);
