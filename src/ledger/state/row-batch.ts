import type { Address } from '../../base/bytes/address.ts';
import type { Accounts } from './accounts.ts';
import type { BalanceDelta } from './balance.ts';
import type { BlockChange } from './block-change.ts';
import type { OwnerRows } from './owner-rows.ts';
import type { NumberedUtxo, UtxoTable } from './utxo-table.ts';

/**
 * The rows of outputs, owners and balances that several blocks change, written together: a statement costs more than a small row, and what a
 * later block of the batch spends or changes again is written once.
 */
export type RowBatch = {
  readonly add: (change: BlockChange, height: number) => void;
  /** Writes the rows. Must run inside a write transaction. */
  readonly write: () => void;
};

type Tables = Pick<UtxoTable, 'insert' | 'spend'> &
  Pick<OwnerRows, 'addOwners' | 'removeOwners'> &
  Pick<Accounts, 'applyDeltas' | 'setRevisions'>;

export function createRowBatch(tables: Tables): RowBatch {
  const created: NumberedUtxo[] = [];
  const spent: (NumberedUtxo & { readonly spent: number | null })[] = [];
  /** Outputs of these blocks that are unspent so far, by their number. */
  const unspent = new Map<number, NumberedUtxo>();
  const consumedEarlier: NumberedUtxo[] = [];
  const balances = new Map<string, { readonly delta: BalanceDelta; height: number }>();
  const revisions = new Map<Address, number>();

  const addDelta = (next: BalanceDelta, height: number): void => {
    const key = `${next.address}${next.assetID}${next.locktime}`;
    const known = balances.get(key);
    if (known === undefined) {
      balances.set(key, { delta: { ...next }, height });
      return;
    }
    const { delta } = known;
    delta.singleOwner += next.singleOwner;
    delta.singleOwnerCount += next.singleOwnerCount;
    delta.multiOwner += next.multiOwner;
    delta.multiOwnerCount += next.multiOwnerCount;
    known.height = height;
  };

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
      for (const delta of change.deltas) addDelta(delta, height);
      for (const address of change.affectedAddresses) revisions.set(address, height);
    },
    write: () => {
      tables.insert(created);
      tables.spend(spent);
      tables.removeOwners(consumedEarlier);
      tables.addOwners([...unspent.values()]);
      for (const { delta, height } of balances.values()) tables.applyDeltas([delta], height);
      tables.setRevisions(revisions);
    },
  };
}
