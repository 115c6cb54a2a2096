import { differencesOf } from '../../api/differences.ts';
import { createReadyRoute } from '../../api/http/ready-route.ts';
import { createIndexRoute } from '../../api/rest/index-page.ts';
import { createSharedResponseCache } from '../../api/rest/shared-response-cache.ts';
import { isDatabaseBehind } from '../../cluster/postgres/postgres-fault.ts';
import { IndexError } from '../../ledger/index/fault.ts';
import type { Config } from '../config/config.ts';
import { createApiEventParams, createApiHub } from '../index/api-events.ts';
import { openPostgresSource, type PostgresSource } from '../index/postgres-source.ts';
import { limitCaches } from '../node/cache-budget.ts';
import { createNodeLongWork } from '../node/network-context.ts';
import { withParts } from '../node/parts.ts';
import { createMetricsRoute, createProcessMetrics } from '../node/process-metrics.ts';
import { createStop } from '../node/stop.ts';
import { createReport } from '../output/report.ts';
import { openApiWebhooks } from '../parts/api-webhooks.ts';
import type { Env, ProcessEnv } from '../platform/env.ts';
import { createNodeGate, createStoreKeyFinder } from '../servers/access.ts';
import { openRateLimitBackend } from '../servers/rate-limit-backend.ts';
import { serveReadOnly } from '../servers/read-only-server.ts';
import { urlOf } from '../servers/serve-options.ts';
import { createApiIndex } from '../servers/server-index.ts';

type ApiServer = { readonly url: string; readonly close: () => Promise<void> };

/** `serac api`: the Data and Metrics APIs over a history index in PostgreSQL. It has no state of its own: any number of servers may run. */
export async function runApiServer(config: Config, env: Env): Promise<ApiServer> {
  const report = createReport(env);
  limitCaches(config, env);
  return withParts(report, async (parts) => {
    const { cache, limiter, limitStreams, redis } = parts.add(await openRateLimitBackend(config, env));
    const source = parts.add(await openPostgresSource(config, env, redis));
    const { served } = source;
    const metrics = createProcessMetrics(env);
    const longWork = createNodeLongWork(env);
    const stop = createStop(config, env, parts);
    parts.add({ routes: config.apis.metrics ? [createMetricsRoute(metrics, async () => [])] : [] });
    if (!config.strict)
      parts.add({
        routes: [createApiReadyRoute(env, source, stop.isStopping), createIndexRoute(() => createApiIndex(env.version, config))],
      });
    const hub = config.strict ? undefined : createApiHub(env, source, { longWork, report });
    const webhooks = hub && parts.add(openApiWebhooks(config, env, hub, served));
    const port = await serveReadOnly(
      config,
      env,
      parts,
      metrics,
      {
        ...source,
        components: { ...source.components, cache: { probeWrite: cache.probeWrite, probeRead: cache.probeRead } },
        gate: createNodeGate(config, env, createStoreKeyFinder(source.keys, env), limiter),
        limiter,
        hub,
        webhooks: webhooks?.management,
        eventParams: createApiEventParams(served),
        streamLimit: limitStreams(),
        isStopping: stop.isStopping,
        // Blocks of a followed chain are final and never reverted.
        epoch: () => 0,
        ...(config.cacheUrl !== undefined && { sharedCache: createSharedResponseCache(cache, source.cacheNamespace) }),
        nodeID: '',
        differences: differencesOf(config.strict),
        longWork,
        explorerFeatures: { hasLifecycle: false, hasMempool: false },
        report,
      },
      { port: config.http.port, isShared: false, opensOwnPorts: true },
    );
    return { url: urlOf(config, port), close: stop.close };
  });
}

/** `/ready`: PostgreSQL answers, and the server is not stopping. */
const createApiReadyRoute = (env: ProcessEnv, { components: { database } }: PostgresSource, isStopping: () => boolean) =>
  createReadyRoute(env.version, async () => {
    if (isStopping()) return 'the server is stopping';
    return database.probeRead().then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof IndexError) return error.message;
        return isDatabaseBehind(error) ? 'the database does not have yet what was served before' : 'the database does not answer';
      },
    );
  });
