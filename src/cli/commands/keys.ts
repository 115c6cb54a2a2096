import { type KeyStore, openKeyStore } from '../../api/access/key-store.ts';
import { type PlanSource, runKeysCommand } from '../../api/access/keys-command.ts';
import { type KeysCommand, keysUsageError } from '../../api/access/keys-flags.ts';
import { defaultPlans, type Plans } from '../../api/access/plans.ts';
import { plansOfServer, readServerPlans } from '../../api/access/server-plans.ts';
import type { Config, StorageConfig } from '../../app/config/config.ts';
import type { Options } from '../../app/config/flag-table.ts';
import type { Env, FileEnv } from '../../app/platform/env.ts';
import { listRouteIds, loadPlans, openKeysDatabase } from '../../app/servers/access.ts';
import { loadClusterEnv } from '../../cluster/cluster-env.ts';
import { openPrimary } from '../../cluster/hosts/primary.ts';
import type { WritableSql } from '../../ledger/index/sql.ts';
import { StoreError } from '../../ledger/store/fault.ts';

/** `serac keys …`: runs the command and returns the lines to print. */
export async function manageKeys(args: readonly string[], options: Options, config: Config, env: Env): Promise<string[]> {
  const { store, sql, close } = await openKeysStore(config, env);
  try {
    return await runKeysCommand(parseKeysCommand(args, options), {
      keys: store,
      ...(await resolvePlans(config, env, sql)),
      routes: listRouteIds(),
      now: () => Number(env.clock.unixSeconds()),
      random: env.random,
    });
  } finally {
    await close();
  }
}

/** The plans that the server applies: those of the plans file if one is given, else those that the last started node of a data directory recorded. */
async function resolvePlans(
  config: Config,
  env: Env,
  sql: WritableSql,
): Promise<{ readonly plans: Plans; readonly planSource: PlanSource }> {
  if (config.access.plansFile !== undefined) return { plans: loadPlans(config, env), planSource: 'file' };
  // In PostgreSQL the servers store nothing.
  if (sql.dialect === 'postgres') return { plans: defaultPlans, planSource: 'defaults-of-servers' };
  const inUse = await readServerPlans(sql);
  if (inUse === undefined) return { plans: defaultPlans, planSource: 'defaults' };
  return { plans: plansOfServer(inUse), planSource: inUse.counted ? 'server' : 'server-without-limits' };
}

type OpenedKeysStore = { readonly store: KeyStore; readonly sql: WritableSql; readonly close: () => Promise<void> | void };

async function openKeysStore({ database, dataDir }: StorageConfig, env: Env): Promise<OpenedKeysStore> {
  if (database === undefined) return openKeysDatabase(requireFolder(dataDir ?? '.', env), env);
  const sql = await openPrimary(database, await loadClusterEnv(env));
  return { store: await openKeyStore(sql), sql, close: sql.close };
}

/** Returns a data directory that exists. A mistyped one is not created: its keys would be valid nowhere. */
function requireFolder(dataDir: string, env: FileEnv): string {
  try {
    env.fileSystem(dataDir);
    return dataDir;
  } catch {
    throw new StoreError(`there is no directory ${dataDir}; check --data-dir, or create the directory first`, {
      code: 'STORE_MISSING',
      path: dataDir,
    });
  }
}

/** Reads the arguments and flags of `serac keys`. */
export function parseKeysCommand([action, key]: readonly string[], { json, name, plan, expires, routes }: Options): KeysCommand {
  if (action === 'create') return { action, json, name, plan, expires, routes: routes ?? [] };
  if (action !== 'revoke') return { action: 'list', json };
  if (key === undefined) throw keysUsageError('keys revoke: give the ID of the key');
  return { action, json, key };
}
