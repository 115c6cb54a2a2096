import { addressBlob, u64Blob } from '../index/blob.ts';
import { amountOf } from '../index/output-amount.ts';
import { openShelf, spentShelf, tieOf } from '../index/output-set.ts';
import type { SqlValue } from '../index/sql.ts';
import type { Shelf } from '../index/tables.ts';
import { ownersOf } from '../state/balance.ts';
import type { Utxo } from '../tx/utxo.ts';
import type { NewInIndex } from './block-facts.ts';

/** An output that gets its place among its owners' rows. `time`: when it was made. */
export type Placing = { readonly utxo: Utxo; readonly seq: number; readonly time: number; readonly shelf: Shelf };

/** One that was on another shelf before, or on the same one at another time. */
export type Moving = Placing & { readonly from: Shelf; readonly timeBefore?: number };

/**
 * Where the outputs of blocks that are written together end up. One that comes and goes among them, be it within a block,
 * was never open for anybody to see: it goes to the spent ones at once.
 */
export function shelve(blocks: readonly NewInIndex[], timeAt: (height: number) => number) {
  const placings = new Map<number, Placing>();
  const movings: Moving[] = [];
  for (const { block, made, consumed } of blocks) {
    const time = Number(block.time);
    for (const { utxo, seq, height } of consumed) {
      const young = placings.get(seq);
      if (young !== undefined) placings.set(seq, { ...young, shelf: spentShelf(utxo) });
      else movings.push({ utxo, seq, time: timeAt(height), from: openShelf(utxo), shelf: spentShelf(utxo) });
    }
    for (const { utxo, seq, spent } of made)
      placings.set(seq, { utxo, seq, time, shelf: spent === null ? openShelf(utxo) : spentShelf(utxo) });
  }
  return { placings: [...placings.values()], movings };
}

/** Rows of `holding` and `amount`, flat. */
export function placingRows(placings: readonly Placing[]) {
  const rows = { holding: [] as SqlValue[], amount: [] as SqlValue[] };
  for (const { utxo, seq, time, shelf } of placings) {
    const tie = tieOf(utxo);
    const amount = u64Blob(amountOf(utxo.output));
    for (const address of ownersOf(utxo)) {
      const owner = addressBlob(address);
      rows.holding.push(owner, shelf, time, tie, seq);
      rows.amount.push(owner, shelf, amount, tie, seq);
    }
  }
  return rows;
}

/** The same rows on the shelves they leave. */
export const leavingRows = (movings: readonly Moving[]) =>
  placingRows(movings.map(({ from, timeBefore, ...placing }) => ({ ...placing, shelf: from, time: timeBefore ?? placing.time })));
