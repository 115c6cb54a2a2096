import { differencesOf } from '../../api/differences.ts';
import { createHealth } from '../../api/health/health.ts';
import { applicationTag } from '../../api/health/worker.ts';
import { createNodeRoutes, metricsRoute } from '../../api/http/node-routes.ts';
import { createReadyRoute, readyPath } from '../../api/http/ready-route.ts';
import { createRouter } from '../../api/http/router.ts';
import { createIndexRoute } from '../../api/rest/index-page.ts';
import { healthMethods } from '../../api/rpc/health.ts';
import { combineServices, createService } from '../../api/rpc/method.ts';
import type { DelivererReading } from '../../api/webhooks/deliverer.ts';
import type { Outcome } from '../../base/health/result.ts';
import type { Config } from '../config/config.ts';
import { createFollowCheck } from '../node/health-checks.ts';
import { createNodeLongWork } from '../node/network-context.ts';
import { createIndexerMetrics } from '../node/process-metrics.ts';
import { checkDeliveries } from '../node/webhook-delivery.ts';
import { listUrls } from '../output/banner-info.ts';
import type { Env } from '../platform/env.ts';
import { withRequestLog } from '../servers/request-log.ts';
import { serveOptions, urlOf } from '../servers/serve-options.ts';
import type { IndexerState, IndexWriter } from './index-writer.ts';

/** Milliseconds between two health checks, which only read memory. */
const checkInterval = 1000;

/** Serves health, readiness and metrics of `serac index`. */
export async function serveIndexer(
  config: Config,
  env: Env,
  { read, readDeliveries, warn: logError }: Pick<IndexWriter, 'read' | 'readDeliveries' | 'warn'>,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const health = createHealth({ now: env.clock.unixNanos, after: env.timers.after, interval: checkInterval });
  const check = (): Outcome | Promise<Outcome> => checkIndexer(read());
  health.register('health', 'index', check, [applicationTag]);
  health.register('readiness', 'index', check, [applicationTag]);
  health.register('health', 'webhooks', () => checkIndexDeliveries(readDeliveries()), [applicationTag]);
  await health.start();
  const urls = listUrls({
    url: '',
    apis: { ...config.apis, info: false, dev: false },
    data: undefined,
    metricsApi: undefined,
    strict: true,
  });
  const entries = [
    ...urls.filter(({ name }) => name === 'health' || name === 'metrics'),
    { name: 'ready', label: 'Readiness', url: readyPath },
  ];
  const families = config.apis.metrics ? createIndexerMetrics(env, () => read().follow, readDeliveries) : undefined;
  const routes = createNodeRoutes({
    chains: [],
    info: undefined,
    health: config.apis.health ? { services: combineServices(createService('health', healthMethods, health)), deps: health } : undefined,
    metrics: families && metricsRoute(async () => families()),
    extraRoutes: config.strict
      ? []
      : [
          createIndexRoute(() => ({ version: env.version, network: config.network.name, entries })),
          createReadyRoute(env.version, async () => (await check()).error),
        ],
  });
  const { allowedHosts, allowedOrigins } = config.http;
  const rpcOptions = { differences: differencesOf(config.strict), onUnexpectedError: logError, longWork: createNodeLongWork(env) };
  const handler = withRequestLog(createRouter({ routes, nodeID: '', allowedHosts, allowedOrigins, rpcOptions }), env);
  const server = await env.serve({ ...serveOptions(config), handler }).catch((error: unknown) => {
    health.stop();
    throw error;
  });
  return {
    url: urlOf(config, server.port),
    close: async () => {
      health.stop();
      await server.close();
    },
  };
}

/** A standby is healthy: it waits to take over. One that writes is healthy while it keeps up with the followed node. */
function checkIndexer({ role, follow, error }: IndexerState): Outcome | Promise<Outcome> {
  if (role === 'standby') return { details: { role } };
  if (follow === undefined) return { details: { role }, error: error ?? 'the index is not open yet' };
  return createFollowCheck(() => follow)();
}

const checkIndexDeliveries = (reading: DelivererReading | undefined): Outcome =>
  reading === undefined ? { details: { delivers: false } } : checkDeliveries(reading);
