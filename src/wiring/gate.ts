import { createGate } from '../access/create-gate.ts';
import type { Gate } from '../access/gate.ts';
import { createKeyFinder, type KeyFinder } from '../access/key-finder.ts';
import { type KeyStore, keyStoreOn } from '../access/key-store.ts';
import { openKeysFile } from '../access/keys-file.ts';
import type { Limiter } from '../access/limiter.ts';
import { defaultPlans, type Plans, readPlans } from '../access/plans.ts';
import { recordPlans } from '../access/plans-in-use.ts';
import type { Config } from '../config.ts';
import { dataRoutes } from '../data/routes.ts';
import type { WritableSql } from '../index/sql.ts';
import { statsRoutes } from '../stats/routes.ts';
import type { Env } from './env.ts';

/** Who may ask this process's Data and Metrics interfaces. Without a limiter nothing is counted. */
export function gateOf(config: Config, env: Env, keys: KeyFinder, limiter: Limiter | undefined): Gate {
  const { requireKey } = config.access;
  return createGate({
    keys,
    limiter,
    plans: plansIn(config, env),
    requireKey,
    now: () => Number(env.clock.unixSeconds()),
  });
}

/** The plans that the flags ask for. */
export const plansIn = ({ access: { plansFile } }: Pick<Config, 'access'>, env: Env): Plans =>
  plansFile === undefined ? defaultPlans : readPlans(env.readText(plansFile), routeIds());

/** Names by which plans and keys speak of routes. */
export const routeIds = () => ({ data: dataRoutes().map(({ id }) => id), metrics: statsRoutes().map(({ id }) => id) });

/** Keys of a data directory have a file of their own there: `serac keys` writes it while the node runs. */
export function openKeys(config: Pick<Config, 'dataDir' | 'access'>, env: Env): { readonly finder: KeyFinder; readonly close: () => void } {
  const { dataDir } = config;
  // A node in memory has no place where someone could have put a key.
  if (dataDir === undefined) return { finder: { find: () => undefined }, close: () => {} };
  const { store, sql, close } = keysIn(dataDir, env);
  void recordPlans(sql, plansIn(config, env), config.access.rateLimits);
  return { finder: finderOf(store, env), close };
}

export function keysIn(dataDir: string, env: Env): { readonly store: KeyStore; readonly sql: WritableSql; readonly close: () => void } {
  const folder = `${dataDir}/db`;
  env.makeFolder(folder);
  const sql = openKeysFile(env.openDatabase, `${folder}/keys.sqlite`);
  return { store: keyStoreOn(sql) as KeyStore, sql, close: sql.close };
}

export const finderOf = (store: KeyStore, env: Env): KeyFinder => createKeyFinder({ store, now: env.clock.monotonic });
