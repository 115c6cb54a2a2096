import type { Store } from '../store/store.ts';
import { type Balances, openBalances } from './balances.ts';
import { damagedRow, type StateError } from './fault.ts';
import { type History, openHistory } from './history.ts';
import { type OwnerRows, openOwnerRows } from './owner-rows.ts';
import { tablesOf } from './schema.ts';
import { openUtxoTable, type UtxoTable } from './utxo-table.ts';

/** The tables of a chain's state. */
export type StateTables = {
  readonly history: History;
  readonly utxos: UtxoTable;
  readonly owners: OwnerRows;
  readonly balances: Balances;
  /** Runs a write transaction and clears the caches if it fails: they may contain rows of the rolled back transaction. */
  readonly write: (work: () => void) => void;
  readonly clearCaches: () => void;
};

/** Opens the tables of a chain. A row that does not match its ID is noted as damage of the database. */
export function openStateTables({ db, epoch, readonly, noteDamage, write }: Store, chain: number): StateTables {
  const t = tablesOf(chain);
  const damaged = (row: string): StateError => {
    const fault = damagedRow(row);
    noteDamage(fault.message);
    return fault;
  };
  const utxos = openUtxoTable(db, t, { caching: !readonly, epoch, damaged });
  const balances = openBalances(db, t);
  const clearCaches = (): void => {
    utxos.clearCache();
    balances.clearCache();
  };
  return {
    history: openHistory(db, t, epoch, damaged),
    utxos,
    owners: openOwnerRows(db, t),
    balances,
    write: (work) => {
      try {
        write(work);
      } catch (error) {
        clearCaches();
        throw error;
      }
    },
    clearCaches,
  };
}
