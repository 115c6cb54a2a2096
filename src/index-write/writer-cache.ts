import type { Address } from '../bytes/address.ts';
import { type BoundedMap, boundedMap } from '../bytes/bounded-map.ts';
import type { Id } from '../bytes/id.ts';
import type { Unit } from '../index/tables.ts';
import type { AssetStat, Held, Holder, Pace, Span } from './row-updates.ts';

/**
 * Rows the writer need not read again: it is the only one that changes them. Good only from one block to the next: what was remembered
 * while a block was written that was not stored in the end is forgotten when the next one comes (see `height`).
 */
export type WriterCache = {
  /** The block after which it holds; undefined while one is being written. */
  height: number | undefined;
  readonly holders: BoundedMap<Address, Holder>;
  readonly balances: BoundedMap<string, Held>;
  readonly assets: BoundedMap<Id, AssetStat>;
  /** Times of blocks by height: they never change. */
  readonly times: BoundedMap<number, number>;
  readonly spans: Map<Unit, { readonly start: number; readonly span: Span }>;
  pace: Pace | undefined;
};

/** Senders spend again, and change comes back to them. */
const remembered = 8192;

export const emptyCache = (): WriterCache => ({
  height: undefined,
  holders: boundedMap(remembered),
  balances: boundedMap(remembered),
  assets: boundedMap(remembered / 4),
  times: boundedMap(remembered),
  spans: new Map(),
  pace: undefined,
});
