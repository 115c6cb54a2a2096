import type { Config } from '../../app/config/config.ts';
import { dataFilesIn } from '../../app/node/data-files.ts';
import { createNetworkContext } from '../../app/node/network-context.ts';
import type { Env } from '../../app/platform/env.ts';
import { startProgress } from '../../base/log/progress.ts';
import { copyToStore } from '../../cluster/chain/copy-to-store.ts';
import { loadClusterEnv } from '../../cluster/cluster-env.ts';
import type { DatabaseConfig } from '../../cluster/hosts/database-config.ts';
import { openPrimary } from '../../cluster/hosts/primary.ts';
import { StoreError } from '../../ledger/store/fault.ts';
import { offlineCacheBytes, openStore } from '../../ledger/store/store.ts';
import { check } from './check.ts';
import type { CommandResult } from './reindex.ts';

/**
 * `serac check --database-url`: copies the chains of a PostgreSQL database to an empty data directory, as of one moment, and checks the copy. So
 * one set of rules is true for both databases, and an indexer may run meanwhile. The directory is left.
 */
export async function checkPostgres(config: Config, env: Env): Promise<CommandResult> {
  const dataDir = config.dataDir as string;
  const files = dataFilesIn(dataDir);
  const existing = env.openFile(files.database, 'read');
  existing?.close();
  if (existing !== undefined)
    throw new StoreError(
      `${dataDir} has a database already; give --data-dir an empty directory, to which PostgreSQL is copied to be checked`,
      { code: 'STORE_EXISTS', path: files.database },
    );
  const context = createNetworkContext(config, env);
  const sql = await openPrimary(config.database as DatabaseConfig, await loadClusterEnv(env), true);
  try {
    env.makeFolder(files.folder);
    const store = openStore(env.openDatabase, {
      path: files.database,
      networkID: config.network.id,
      genesis: context.specs[0].id,
      cacheBytes: offlineCacheBytes,
    });
    try {
      const progress = startProgress(env.clock.monotonic, 'rows');
      await copyToStore(sql, store, (rows) => env.showProgress(progress(rows)));
    } finally {
      env.showProgress(undefined);
      store.close();
    }
  } finally {
    await sql.close();
  }
  const { lines, isDamaged } = check(config, env);
  const remedy = 'the copy was checked; PostgreSQL is repaired by a restore from a backup, or by serac index into an empty database';
  return { lines: isDamaged ? [...lines, remedy] : lines, isDamaged };
}
