import type { Gate } from '../access/gate.ts';
import { createGate } from '../access/gatekeeper.ts';
import { createKeyFinder, type KeyFinder } from '../access/key-finder.ts';
import { type KeyStore, keyStoreOn } from '../access/key-store.ts';
import { openKeysFile } from '../access/keys-file.ts';
import type { Limiter } from '../access/limiter.ts';
import { defaultPlans, readPlans } from '../access/plans.ts';
import type { Config } from '../config.ts';
import { dataRoutes } from '../data/routes.ts';
import { statsRoutes } from '../stats/routes.ts';
import type { Env } from './env.ts';

/** Who may ask this process's Data and Metrics interfaces. Without a limiter nothing is counted. */
export function gateOf(config: Config, env: Env, keys: KeyFinder, limiter: Limiter | undefined): Gate {
  const { plansFile, requireKey } = config.access;
  return createGate({
    keys,
    limiter,
    plans: plansFile === undefined ? defaultPlans : readPlans(env.readText(plansFile), routeIds()),
    requireKey,
    now: () => Number(env.clock.unixSeconds()),
  });
}

/** Names by which plans and keys speak of routes. */
export const routeIds = () => ({ data: dataRoutes().map(({ id }) => id), metrics: statsRoutes().map(({ id }) => id) });

/** Keys of a data directory have a file of their own there: `serac keys` writes it while the node runs. */
export function openKeys(config: Pick<Config, 'dataDir'>, env: Env): { readonly finder: KeyFinder; readonly close: () => void } {
  const { dataDir } = config;
  // A node in memory has no place where someone could have put a key.
  if (dataDir === undefined) return { finder: { find: () => undefined }, close: () => {} };
  const { store, close } = keysIn(dataDir, env);
  return { finder: finderOf(store, env), close };
}

export function keysIn(dataDir: string, env: Env): { readonly store: KeyStore; readonly close: () => void } {
  const folder = `${dataDir}/db`;
  env.makeFolder(folder);
  const sql = openKeysFile(env.openDatabase, `${folder}/keys.sqlite`);
  return { store: keyStoreOn(sql) as KeyStore, close: sql.close };
}

export const finderOf = (store: KeyStore, env: Env): KeyFinder => createKeyFinder({ store, now: env.clock.monotonic });
