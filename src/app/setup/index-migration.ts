import { isMigrationDue, migrateStore } from '../../ledger/index/migrate.ts';
import { migrations } from '../../ledger/index/migrations.ts';
import { SnapshotError } from '../../ledger/snapshot/fault.ts';
import { countSnapshots } from '../../ledger/snapshot/snapshots.ts';
import type { Store } from '../../ledger/store/store.ts';

/**
 * Creates or migrates the index tables of a chain. Snapshots hold rows of the old tables, which a migration does not reach, so it is refused
 * while there are some.
 */
export function migrateIndex(store: Store, chain: number, all = migrations): void {
  const snapshots = store.readonly || !isMigrationDue(store, chain, all) ? 0 : countSnapshots(store);
  if (snapshots > 0)
    throw new SnapshotError(
      `the index of this data directory must be migrated, but its ${snapshots} snapshots hold rows of the old version; run serac reindex, which deletes the snapshots, or delete them with the version of serac that saved them`,
      { code: 'SNAPSHOT_OLD_INDEX', snapshots },
    );
  migrateStore(store, chain, all);
}
