import type { BalanceChange } from './balance.ts';
import type { Balances, BlockDeltas } from './balances.ts';
import type { BlockChange } from './block-change.ts';
import type { OwnerRows } from './owner-rows.ts';
import type { NumberedUtxo, UtxoTable } from './utxo-table.ts';

/**
 * The rows of outputs, owners and balances that several blocks change, written together: a statement costs more than a small row, and what a
 * later block of the batch spends again is written once.
 */
export type RowBatch = {
  readonly add: (change: BlockChange, height: number) => void;
  /**
   * Writes the rows and returns the balance changes of each block. Must run inside a write transaction, before the transactions of the blocks,
   * whose numbers are given, are inserted.
   */
  readonly write: (firstTx: number, lastTx: number) => BalanceChange[][];
};

type Tables = {
  readonly utxos: Pick<UtxoTable, 'addIds' | 'spend'>;
  readonly owners: Pick<OwnerRows, 'addOwners' | 'removeOwners'>;
  readonly balances: Pick<Balances, 'insert'>;
};

export function createRowBatch({ utxos, owners, balances }: Tables): RowBatch {
  const created: NumberedUtxo[] = [];
  const spent: (NumberedUtxo & { readonly spent: number | null })[] = [];
  /** Outputs of these blocks that are unspent so far, by their number. */
  const unspent = new Map<number, NumberedUtxo>();
  const consumedEarlier: NumberedUtxo[] = [];
  const deltas: BlockDeltas[] = [];

  return {
    add: (change, height) => {
      for (const row of change.created) {
        created.push(row);
        spent.push(row);
      }
      for (const row of change.consumed) {
        spent.push(row);
        if (!unspent.delete(row.seq)) consumedEarlier.push(row);
      }
      for (const row of change.unspent) unspent.set(row.seq, row);
      deltas.push({ height, deltas: change.deltas });
    },
    write: (firstTx, lastTx) => {
      utxos.addIds(created, firstTx, lastTx);
      utxos.spend(spent);
      owners.removeOwners(consumedEarlier);
      owners.addOwners([...unspent.values()]);
      return balances.insert(deltas);
    },
  };
}
