import { idToBytes } from '../../base/bytes/id.ts';
import { type MigrationWatch, migrateStore } from '../index/migrate.ts';
import type { Migration } from '../index/migrations.ts';
import { createSharedTables, listStoredChains, registerChain } from '../state/chain-number.ts';
import type { Database, OpenDatabase } from '../store/database.ts';
import { openStore, type Store, type StoreOptions } from '../store/store.ts';

/*
 * State files of earlier versions are migrated like data directories: their rows are loaded into a new store with the tables of their version,
 * which is then migrated. So a file is checked against the tables that it should have, before any statement changes it.
 */

/** Opens a new store with the chains of `own`, whose index has an earlier version; the rows of a state file can be loaded into it. */
export function openEarlierStore(
  open: OpenDatabase,
  { path, networkID, genesis }: Pick<StoreOptions, 'path' | 'networkID' | 'genesis'>,
  own: Database,
  migrations: readonly Migration[],
): Store {
  const store = openStore(open, { path, networkID, genesis, durability: 'checkpoint' });
  try {
    createSharedTables(store);
    for (const { number, id, genesis } of listStoredChains({ db: own })) {
      // The tables of a chain are named by its number, which is the same in both.
      store.write(() => store.db.prepare('INSERT INTO chain VALUES (?, ?, ?)').run(number, idToBytes(id), idToBytes(genesis)));
      migrateStore(store, registerChain(store, id, genesis), migrations);
    }
    return store;
  } catch (error) {
    store.close();
    throw error;
  }
}

/** Migrates all chains of a store. */
export function migrateChains(store: Store, migrations: readonly Migration[], watch: MigrationWatch): void {
  for (const { number } of listStoredChains(store)) migrateStore(store, number, migrations, watch);
}
