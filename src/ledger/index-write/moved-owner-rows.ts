import type { Utxo } from '../../avm/tx/utxo.ts';
import { addressBlob } from '../index/blob.ts';
import { tiebreakerOf } from '../index/output-set.ts';
import type { SqlValue } from '../index/sql.ts';
import type { OutputSet } from '../index/tables.ts';
import { ownersOf } from '../state/balance.ts';

/** An output that moved between chains, to insert into an output set of each of its owners. `time`: when it was created. */
export type SetInsertion = { readonly utxo: Utxo; readonly seq: number; readonly time: number; readonly outputSet: OutputSet };

/** An output that moves from another set, or within a set from another time. */
export type SetMove = SetInsertion & { readonly fromSet: OutputSet; readonly previousTime?: number };

/** Rows of table `moved_owner`, as a flat list of values. */
export function insertionRows(insertions: readonly SetInsertion[]): SqlValue[] {
  const rows: SqlValue[] = [];
  for (const { utxo, seq, time, outputSet } of insertions) {
    const tiebreaker = tiebreakerOf(utxo);
    for (const address of ownersOf(utxo)) rows.push(addressBlob(address), outputSet, time, tiebreaker, seq);
  }
  return rows;
}

/** The rows that the outputs have in the sets they leave, in the same form. */
export const removalRows = (moves: readonly SetMove[]): SqlValue[] =>
  insertionRows(moves.map(({ fromSet, previousTime, ...move }) => ({ ...move, outputSet: fromSet, time: previousTime ?? move.time })));
