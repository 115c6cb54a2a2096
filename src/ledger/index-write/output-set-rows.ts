import type { Utxo } from '../../avm/tx/utxo.ts';
import { addressBlob, u64Blob } from '../index/blob.ts';
import { listedAmount } from '../index/output-amount.ts';
import { spentSet, tiebreakerOf, unspentSet } from '../index/output-set.ts';
import type { SqlValue } from '../index/sql.ts';
import type { OutputSet } from '../index/tables.ts';
import { ownersOf } from '../state/balance.ts';
import type { BlockToIndex } from './block-facts.ts';

/** An output to insert into an output set of each of its owners. `time`: when it was created. */
export type SetInsertion = { readonly utxo: Utxo; readonly seq: number; readonly time: number; readonly outputSet: OutputSet };

/** An output that moves from another set, or within a set from another time. */
export type SetMove = SetInsertion & { readonly fromSet: OutputSet; readonly previousTime?: number };

/**
 * The set changes of blocks that are written together. An output that is created and spent within these blocks goes straight into the
 * spent set, since nobody could have read it as unspent.
 */
export function outputSetChanges(blocks: readonly BlockToIndex[], timeAt: (height: number) => number) {
  const insertions = new Map<number, SetInsertion>();
  const moves: SetMove[] = [];
  for (const { block, created, consumed } of blocks) {
    const time = Number(block.time);
    for (const { utxo, seq, height } of consumed) {
      const insertion = insertions.get(seq);
      if (insertion !== undefined) insertions.set(seq, { ...insertion, outputSet: spentSet(utxo) });
      else moves.push({ utxo, seq, time: timeAt(height), fromSet: unspentSet(utxo), outputSet: spentSet(utxo) });
    }
    for (const { utxo, seq, spent } of created)
      insertions.set(seq, { utxo, seq, time, outputSet: spent === null ? unspentSet(utxo) : spentSet(utxo) });
  }
  return { insertions: [...insertions.values()], moves };
}

/** Rows of tables `holding` and `amount`, each as a flat list of values. */
export function insertionRows(insertions: readonly SetInsertion[]) {
  const rows = { holding: [] as SqlValue[], amount: [] as SqlValue[] };
  for (const { utxo, seq, time, outputSet } of insertions) {
    const tiebreaker = tiebreakerOf(utxo);
    const amount = u64Blob(listedAmount(utxo.output));
    for (const address of ownersOf(utxo)) {
      const owner = addressBlob(address);
      rows.holding.push(owner, outputSet, time, tiebreaker, seq);
      rows.amount.push(owner, outputSet, amount, tiebreaker, seq);
    }
  }
  return rows;
}

/** The rows that the outputs have in the sets they leave, in the same form. */
export const removalRows = (moves: readonly SetMove[]) =>
  insertionRows(moves.map(({ fromSet, previousTime, ...move }) => ({ ...move, outputSet: fromSet, time: previousTime ?? move.time })));
