import { createGate, type Gate } from '../../api/access/gate.ts';
import { createKeyFinder, type KeyFinder } from '../../api/access/key-finder.ts';
import { type KeyStore, openKeyStore } from '../../api/access/key-store.ts';
import { defaultPlans, type Plans, readPlans } from '../../api/access/plans.ts';
import type { Limiter } from '../../api/access/rate-limit.ts';
import { recordServerPlans } from '../../api/access/server-plans.ts';
import { openSharedFile } from '../../api/access/shared-file.ts';
import { dataRoutes } from '../../api/data/routes.ts';
import { eventsApiRoutes } from '../../api/events/events-route.ts';
import { explorerRoutes } from '../../api/explorer-routes/routes.ts';
import { metricsApiRoutes } from '../../api/metrics-api/routes.ts';
import { webhookRoutes } from '../../api/webhooks/webhook-routes.ts';
import { openTogether } from '../../base/closing.ts';
import type { WritableSql } from '../../ledger/index/sql.ts';
import type { Config } from '../config/config.ts';
import { countReaders } from '../node/cache-budget.ts';
import { dataFilesIn } from '../node/data-files.ts';
import type { DatabaseEnv, Env, FileEnv, TimeEnv } from '../platform/env.ts';
import type { Relay } from '../processes/relay.ts';
import { createRelayedLimiter, openRateLimitBackend, type RateLimitBackend } from './rate-limit-backend.ts';

/** Creates the access gate (API keys and rate limits) of this process. Without a limiter, requests are not counted. */
export function createNodeGate(config: Config, env: Env, keys: KeyFinder, limiter: Limiter | undefined): Gate {
  const { requireKey } = config.access;
  return createGate({
    keys,
    limiter,
    plans: loadPlans(config, env),
    requireKey,
    now: () => Number(env.clock.unixSeconds()),
  });
}

/**
 * Who may call the Data and Metrics APIs of a node and how often: keys of the data directory, and counts that its processes share. `relay`: the
 * writer process, which counts for this reader process unless Redis does.
 */
export async function openNodeAccess(config: Config, env: Env, relay?: Relay): Promise<NodeAccess> {
  return openTogether(env, async (opened) => {
    const backend = opened.add(await openRateLimitBackend(config, env));
    const isRelayed = relay !== undefined && backend.limiter !== undefined && config.cacheUrl === undefined;
    const limiter = isRelayed ? createRelayedLimiter(relay, env, countReaders(config, env) + 1) : backend.limiter;
    const keys = opened.add(await openKeyFinder(config, env));
    return { gate: createNodeGate(config, env, keys.finder, limiter), limiter, cache: backend.cache, close: opened.close };
  });
}

type NodeAccess = Pick<RateLimitBackend, 'cache' | 'limiter' | 'close'> & { readonly gate: Gate };

/** Loads the plans from the file of `--rate-limit-plans`; without the flag, the default plans. */
export const loadPlans = ({ access: { plansFile } }: Pick<Config, 'access'>, env: FileEnv): Plans =>
  plansFile === undefined ? defaultPlans : readPlans(env.readText(plansFile), listRouteIds());

/** The route names that plans and API keys can refer to. */
export const listRouteIds = () => ({
  data: [...dataRoutes(), ...explorerRoutes({ hasLifecycle: true, hasMempool: true }), ...eventsApiRoutes, ...webhookRoutes].map(
    ({ id }) => id,
  ),
  metrics: metricsApiRoutes().map(({ id }) => id),
});

/** Opens the API keys of the data directory. They are in a file of their own, which `serac keys` can write while the node runs. */
async function openKeyFinder(
  config: Pick<Config, 'dataDir' | 'access'>,
  env: Env,
): Promise<{ readonly finder: KeyFinder; readonly close: () => void }> {
  const { dataDir } = config;
  // Without a data directory there are no API keys.
  if (dataDir === undefined) return { finder: { find: async () => undefined }, close: () => {} };
  // Before the file is opened: they may be wrong, which ends the start.
  const plans = loadPlans(config, env);
  const { store, sql, close } = await openKeysDatabase(dataDir, env);
  await recordServerPlans(sql, plans, config.access.rateLimits);
  return { finder: createStoreKeyFinder(store, env), close };
}

export async function openKeysDatabase(
  dataDir: string,
  env: DatabaseEnv & FileEnv,
): Promise<{ readonly store: KeyStore; readonly sql: WritableSql; readonly close: () => void }> {
  const { folder, keys } = dataFilesIn(dataDir);
  env.makeFolder(folder);
  const sql = openSharedFile(env.openDatabase, keys);
  return { store: await openKeyStore(sql), sql, close: sql.close };
}

export const createStoreKeyFinder = (store: Pick<KeyStore, 'find'>, env: TimeEnv): KeyFinder =>
  createKeyFinder({ store, now: env.clock.monotonic });
