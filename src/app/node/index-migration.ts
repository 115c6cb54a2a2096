import { startProgress } from '../../base/log/progress.ts';
import { isMigrationDue, type MigrationWatch, migrateStore } from '../../ledger/index/migrate.ts';
import { migrations } from '../../ledger/index/migrations.ts';
import { SnapshotError } from '../../ledger/snapshot/fault.ts';
import { countSnapshots, deleteAllSnapshots } from '../../ledger/snapshot/snapshots.ts';
import type { Store } from '../../ledger/store/store.ts';
import type { Env } from '../platform/env.ts';

/**
 * Creates or migrates the index tables of a chain when a node starts. Snapshots of users hold rows of the old tables, which a migration does not
 * reach, so it is refused while there are some. A read-only store is refused by `migrateStore` if a migration is due. `chain`: the number of the chain in
 * the names of its tables.
 */
export function migrateIndex(store: Store, chain: number, env: MigrationEnv, all = migrations): void {
  if (!store.readonly && isMigrationDue(store, chain, all)) {
    const snapshots = countSnapshots(store);
    if (snapshots > 0)
      throw new SnapshotError(
        `the index of this data directory must be migrated, but its ${snapshots} snapshots hold rows of the old version; run serac reindex, which deletes the snapshots, or delete them with the version of serac that saved them`,
        { code: 'SNAPSHOT_OLD_INDEX', snapshots },
      );
    // Users have none, but --reorg-depth keeps unnamed ones of the last blocks, which are of no use after a restart.
    deleteAllSnapshots(store);
  }
  migrateStore(store, chain, all, watchMigration('the index of the data directory', env));
}

type MigrationEnv = Pick<Env, 'log' | 'showProgress' | 'clock'>;

/** Announces the migration of an index in the log, and shows its progress. `ifStopped`: what happens if the process is stopped meanwhile. */
export function watchMigration(
  what: string,
  { log, showProgress, clock }: MigrationEnv,
  ifStopped = 'stopping now loses nothing, the next start begins again',
): MigrationWatch {
  const progress = startProgress(clock.monotonic, 'transactions');
  return {
    onStart: ({ from, to }) => log(`migrating ${what} from version ${from} to ${to}; ${ifStopped}`, 'info'),
    onProgress: (counts) => showProgress(progress(counts)),
    onEnd: () => {
      showProgress(undefined);
      log(`migrated ${what}`, 'info');
    },
  };
}
