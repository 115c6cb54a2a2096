import type { Limiter } from '../../api/access/rate-limit.ts';
import type { StreamLimit } from '../../api/access/stream-limit.ts';
import type { EventParamContext } from '../../api/events/filter.ts';
import type { EventHub } from '../../api/events/hub.ts';
import type { Handler } from '../../api/http/message.ts';
import type { ApiHealthDeps } from '../../api/rest/served-chains.ts';
import type { Config } from '../config/config.ts';
import type { Parts } from '../node/parts.ts';
import type { ProcessMetrics } from '../node/process-metrics.ts';
import type { Env } from '../platform/env.ts';
import { createEventsRoutesOf, registerEventClients } from './event-stream.ts';
import { createHandlers, type HandlerParts } from './handlers.ts';
import { withRequestLog } from './request-log.ts';
import { serveOptions } from './serve-options.ts';

/** A database that another process writes: SQLite of a writer process, or PostgreSQL of `serac index`. */
type ReadOnlySource = Omit<HandlerParts, 'health' | 'observer' | 'routes' | 'otherPortRoutes'> & {
  readonly components: ApiHealthDeps['components'];
  readonly limiter: Limiter | undefined;
  /** Undefined with --strict. */
  readonly hub: EventHub | undefined;
  readonly eventParams: EventParamContext;
  /** Limits the event streams of a caller; undefined: it does not. */
  readonly streamLimit: StreamLimit | undefined;
  readonly isStopping: () => boolean;
};

type ListenOptions = {
  readonly port: number;
  /** Whether other processes listen on the same port. */
  readonly isShared: boolean;
  /** Whether the ports of APIs with a port of their own are opened too, with the same routes beside the API. */
  readonly opensOwnPorts: boolean;
};

/** Serves the APIs over such a database, with the routes of `parts`: this is a reader process and `serac api`. Returns the main port. */
export async function serveReadOnly(
  config: Config,
  env: Env,
  parts: Parts,
  metrics: ProcessMetrics,
  { components, limiter, hub, eventParams, streamLimit, isStopping, ...source }: ReadOnlySource,
  { port, isShared, opensOwnPorts }: ListenOptions,
): Promise<number> {
  if (hub !== undefined) {
    parts.addServer(hub);
    registerEventClients(metrics.registry, hub);
    parts.add({ routes: createEventsRoutesOf(hub, { config, gate: source.gate, context: eventParams, streamLimit }) });
  }
  const routes = parts.routes();
  const handlers = createHandlers(config, env, {
    ...source,
    health: { components, isStopping, degraded: () => ({ rateLimits: limiter?.degradedReason?.() }) },
    observer: metrics.apiObserver,
    routes,
    otherPortRoutes: routes,
  });
  const serve = async (ownPort: number, handler: Handler) => {
    const server = await env.serve({
      ...serveOptions(config),
      port: ownPort,
      handler: withRequestLog(handler, env),
      ...(isShared && { reusePort: true }),
    });
    parts.addServer(server);
    return server.port;
  };
  const mainPort = await serve(port, handlers.main);
  if (opensOwnPorts) for (const own of handlers.ownPorts) await serve(own.port, own.handler);
  return mainPort;
}
