import { differencesOf } from '../../api/differences.ts';
import { createReadyRoute } from '../../api/http/ready-route.ts';
import { createIndexRoute } from '../../api/rest/index-page.ts';
import { createSharedResponseCache } from '../../api/rest/shared-response-cache.ts';
import { createApiEventParams, createApiHub } from '../../cluster/api-server/api-events.ts';
import { openPostgresSource, type PostgresSource } from '../../cluster/api-server/postgres-source.ts';
import { loadClusterEnv } from '../../cluster/cluster-env.ts';
import type { DatabaseConfig } from '../../cluster/hosts/database-config.ts';
import { createPrimarySql } from '../../cluster/hosts/primary-sql.ts';
import { isDatabaseBehind } from '../../cluster/postgres/postgres-fault.ts';
import { IndexError } from '../../ledger/index/fault.ts';
import type { Config } from '../config/config.ts';
import { openApiWebhooks } from '../index/api-webhooks.ts';
import { limitCaches } from '../node/cache-budget.ts';
import { createNodeLongWork } from '../node/network-context.ts';
import { withParts } from '../node/parts.ts';
import { createMetricsRoute, createProcessMetrics } from '../node/process-metrics.ts';
import { createStop } from '../node/stop.ts';
import { createErrorLog } from '../output/error-log.ts';
import type { Env, ProcessEnv } from '../platform/env.ts';
import { createNodeGate, createStoreKeyFinder } from '../servers/access.ts';
import { openRateLimitBackend } from '../servers/rate-limit-backend.ts';
import { serveReadOnly } from '../servers/read-only-server.ts';
import { urlOf } from '../servers/serve-options.ts';
import { createApiIndex } from '../servers/server-index.ts';

/** `serac api`: the Data and Metrics APIs over a history index in PostgreSQL. It has no state of its own: any number of servers may run. */
export async function runApiServer(config: Config, env: Env): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const logError = createErrorLog(env);
  limitCaches(config, env);
  const database = config.database as DatabaseConfig;
  const cluster = await loadClusterEnv(env);
  return withParts(logError, async (parts) => {
    const { cache, limiter, limitStreams, redis } = parts.add(await openRateLimitBackend(config, env));
    const source = parts.add(
      await openPostgresSource(cluster, { programVersion: env.version, database, networkName: config.access.networkName, redis }),
    );
    const { served } = source;
    const metrics = createProcessMetrics(env);
    const longWork = createNodeLongWork(env);
    const stop = createStop(config, env, parts);
    if (config.apis.metrics) parts.add({ routes: [createMetricsRoute(metrics, async () => [])] });
    if (!config.strict)
      parts.add({
        routes: [
          createApiReadyRoute(env, source, stop.isStopping),
          createIndexRoute(() => createApiIndex(env.version, served.network.name, config)),
        ],
      });
    const hub = config.strict ? undefined : createApiHub(env, source, { longWork, logError });
    const port = await serveReadOnly({
      config,
      env,
      parts,
      index: {
        served,
        settled: source.settled,
        sealKey: source.sealKey,
        epoch: source.epoch,
        readChainVersion: source.readChainVersion,
        consistency: source.consistency,
        sharedCache: config.cacheUrl === undefined ? undefined : createSharedResponseCache(cache, source.cacheNamespace),
      },
      access: { gate: createNodeGate(config, env, createStoreKeyFinder(source.keys, env), limiter), limiter },
      events: hub && {
        hub,
        params: createApiEventParams(served),
        streamLimit: limitStreams(),
        webhooks: parts.add(openApiWebhooks(config, env, createPrimarySql(database, cluster), hub, served)).management,
      },
      health: { database: source.health, cache: { probeWrite: cache.probeWrite, probeRead: cache.probeRead } },
      node: { nodeID: '', differences: differencesOf(config.strict), explorerFeatures: { hasLifecycle: false, hasMempool: false } },
      program: { metrics, longWork, logError, isStopping: stop.isStopping },
      listen: { port: config.http.port, isShared: false, opensOwnPorts: true },
    });
    return { url: urlOf(config, port), close: stop.close };
  });
}

/** `/ready`: PostgreSQL answers, and the server is not stopping. */
const createApiReadyRoute = (env: ProcessEnv, { health }: PostgresSource, isStopping: () => boolean) =>
  createReadyRoute(env.version, async () => {
    if (isStopping()) return 'the server is stopping';
    return health.probeRead().then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof IndexError) return error.message;
        return isDatabaseBehind(error) ? 'the database does not have yet what was served before' : 'the database does not answer';
      },
    );
  });
