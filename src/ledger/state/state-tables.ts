import type { Utxo } from '../../avm/tx/utxo.ts';
import type { Store } from '../store/store.ts';
import { type BalanceChange, createBalanceDeltas } from './balance.ts';
import { openBalances } from './balances.ts';
import type { BatchRows } from './block-batch.ts';
import { damagedRow, type StateError } from './fault.ts';
import { openHistory } from './history.ts';
import { openOwnerRows } from './owner-rows.ts';
import { tablesOf } from './schema.ts';
import { encodeStoredUtxo } from './stored-utxo.ts';
import { type NumberedUtxo, openUtxoTable } from './utxo-table.ts';

export type StateTables = ReturnType<typeof openStateTables>;

/** Opens the tables of a chain's state. A row that does not match its ID is noted as damage of the database. */
export function openStateTables({ db, epoch, readonly, noteDamage }: Store, chain: number) {
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
    clearCaches,
  };
}

/** Writes the rows of blocks, of which `lastTx` is the last transaction, and returns the balance changes of each block. */
export function writeBatch({ history, utxos, owners, balances }: StateTables, rows: BatchRows, lastTx: number, extendsGenesis: boolean) {
  utxos.addIds(rows.created, rows.firstTx, lastTx);
  utxos.spend(rows.spent);
  owners.removeOwners(rows.consumedEarlier);
  owners.addOwners([...rows.unspent.values()]);
  const changes = balances.insert(rows.deltas);
  if (extendsGenesis) for (const block of rows.blocks) history.extendGenesis(block);
  else history.insertBlocks(rows.blocks);
  return changes;
}

/** Outputs from before linearization that were inserted, and the balances they changed. */
type PreLinearization = { readonly utxos: readonly NumberedUtxo[]; readonly balances: readonly BalanceChange[] };

const noPreLinearization: PreLinearization = { utxos: [], balances: [] };

/** Inserts outputs from before linearization that are not stored yet, numbered down from `oldest`. Must run inside a write transaction. */
export function insertPreLinearizationUtxos(
  { utxos, owners, balances }: StateTables,
  wanted: readonly Utxo[],
  oldest: number,
): PreLinearization {
  if (wanted.length === 0) return noPreLinearization;
  const missing = new Map(wanted.filter((utxo) => utxos.findPosition(utxo) === undefined).map((utxo) => [utxo.id, utxo]));
  const added = [...missing.values()].map((utxo, i) => ({ utxo, seq: oldest - 1 - i, height: 0, bytes: encodeStoredUtxo(utxo) }));
  const sums = createBalanceDeltas();
  for (const { utxo } of added) sums.add(utxo);
  utxos.insertPreLinearization(added);
  owners.addOwners(added);
  return { utxos: added, balances: balances.raise(sums.deltas()) };
}
