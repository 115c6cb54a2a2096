import { compare, u64Bytes } from '../bytes/octets.ts';
import { amountOf } from '../index/output-amount.ts';
import { tieOf } from '../index/output-set.ts';
import type { SqlValue } from '../index/sql.ts';
import type { Utxo } from '../tx/utxo.ts';
import type { UtxoQuery } from './index-reads.ts';

/** Where an output stands in a list: by a time or an amount, then by its id. */
export type Place = { readonly key: number | Uint8Array; readonly tie: Uint8Array; readonly seq: number };

export type Sort = Pick<UtxoQuery, 'sortBy' | 'order'>;

export const placeOf = (sortBy: Sort['sortBy'], output: { readonly seq: number; readonly time: number; readonly utxo: Utxo }): Place => ({
  key: sortBy === 'timestamp' ? output.time : u64Bytes(amountOf(output.utxo.output)),
  tie: tieOf(output.utxo),
  seq: output.seq,
});

export function placeOrder({ order }: Sort): (a: Place, b: Place) => number {
  const ascending = (a: Place, b: Place) => compareKeys(a.key, b.key) || compare(a.tie, b.tie) || a.seq - b.seq;
  return order === 'asc' ? ascending : (a, b) => ascending(b, a);
}

/** A part of a list: what lies behind a place, up to and with a key. */
export type Stretch = { readonly after: Place; readonly end: Place['key'] };

/** All that a list may hold: nothing is younger than the pin, nothing is worth less than was asked for. */
export function wholeStretch({ sortBy, order }: Sort, pinTime: number, minAmount: bigint): Stretch {
  const [lowest, highest] = sortBy === 'timestamp' ? [0, pinTime] : [u64Bytes(minAmount), aboveAll];
  return order === 'asc'
    ? { after: { key: lowest, tie: nothing, seq: Number.MIN_SAFE_INTEGER }, end: highest }
    : { after: { key: highest, tie: aboveAll, seq: Number.MAX_SAFE_INTEGER }, end: lowest };
}

/** The condition of a stretch, on a table called h, and its values. */
export const stretchText = (column: string, { order }: Sort): string =>
  order === 'asc'
    ? `(h.${column}, h.tie, h.seq) > (?, ?, ?) AND h.${column} <= ? ORDER BY h.${column}, h.tie, h.seq`
    : `(h.${column}, h.tie, h.seq) < (?, ?, ?) AND h.${column} >= ? ORDER BY h.${column} DESC, h.tie DESC, h.seq DESC`;

export const stretchValues = ({ after, end }: Stretch): SqlValue[] => [after.key, after.tie, after.seq, end];

const compareKeys = (a: Place['key'], b: Place['key']): number => (typeof a === 'number' ? a - (b as number) : compare(a, b as Uint8Array));

const nothing = new Uint8Array(0);

/** Amounts and ties have 8 bytes. */
const aboveAll = new Uint8Array(9).fill(0xff);
