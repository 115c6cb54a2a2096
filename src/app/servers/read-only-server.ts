import type { Gate } from '../../api/access/gate.ts';
import type { Limiter } from '../../api/access/rate-limit.ts';
import type { StreamLimit } from '../../api/access/stream-limit.ts';
import type { EventParamContext } from '../../api/events/filter.ts';
import type { EventHub } from '../../api/events/hub.ts';
import type { Handler } from '../../api/http/message.ts';
import type { ApiHealthDeps } from '../../api/rest/served-chains.ts';
import type { LongWork } from '../../base/timing/long-work.ts';
import type { Config } from '../config/config.ts';
import type { Parts } from '../node/parts.ts';
import type { ProcessMetrics } from '../node/process-metrics.ts';
import type { Env } from '../platform/env.ts';
import { createEventsRoutesOf, registerEventClients } from './event-stream.ts';
import { createHandlers, type HandlerParts } from './handlers.ts';
import { withRequestLog } from './request-log.ts';
import { serveOptions } from './serve-options.ts';

/**
 * Serves the APIs over a database that another process writes, with the routes of `parts`. Two programs do: a reader process, over the SQLite
 * database of its writer process, and `serac api`, over PostgreSQL of `serac index`. Returns the main port.
 */
export async function serveReadOnly({
  config,
  env,
  parts,
  index,
  access,
  events,
  health,
  node,
  program,
  listen,
}: {
  readonly config: Config;
  readonly env: Env;
  readonly parts: Parts;
  /** What is served, and what cached responses and page tokens depend on. */
  readonly index: Pick<HandlerParts, 'served' | 'sealKey' | 'epoch' | 'readChainVersion' | 'consistency' | 'sharedCache'>;
  /** Who may call, and how often. */
  readonly access: { readonly gate: Gate; readonly limiter: Limiter | undefined };
  /** The event stream and its webhooks; undefined with --strict. */
  readonly events:
    | {
        readonly hub: EventHub;
        readonly params: EventParamContext;
        /** Limits the event streams of a caller; undefined: it does not. */
        readonly streamLimit: StreamLimit | undefined;
        readonly webhooks: HandlerParts['webhooks'];
      }
    | undefined;
  readonly health: ApiHealthDeps['components'];
  /** The node whose chains are served; its ID is empty in `serac api`, which is not a node. */
  readonly node: Pick<HandlerParts, 'nodeID' | 'differences' | 'explorerFeatures' | 'onRefused'>;
  /** This process. */
  readonly program: {
    readonly metrics: ProcessMetrics;
    readonly longWork: LongWork;
    readonly report: (error: unknown) => void;
    readonly isStopping: () => boolean;
  };
  readonly listen: {
    readonly port: number;
    /** Whether other processes listen on the same port. */
    readonly isShared: boolean;
    /** Whether the ports of APIs with a port of their own are opened too, with the same routes beside the API. */
    readonly opensOwnPorts: boolean;
  };
}): Promise<number> {
  const { metrics, longWork, report, isStopping } = program;
  const { gate, limiter } = access;
  if (events !== undefined) {
    const { hub, params, streamLimit } = events;
    parts.addServer(hub);
    registerEventClients(metrics.registry, hub);
    parts.add({ routes: createEventsRoutesOf(hub, { config, gate, context: params, streamLimit }) });
  }
  const routes = parts.routes();
  const handlers = createHandlers(config, env, {
    served: index.served,
    sealKey: index.sealKey,
    epoch: index.epoch,
    readChainVersion: index.readChainVersion,
    consistency: index.consistency,
    sharedCache: index.sharedCache,
    gate,
    webhooks: events?.webhooks,
    health: { components: health, isStopping, degraded: () => ({ rateLimits: limiter?.degradedReason?.() }) },
    nodeID: node.nodeID,
    differences: node.differences,
    explorerFeatures: node.explorerFeatures,
    onRefused: node.onRefused,
    observer: metrics.apiObserver,
    longWork,
    report,
    routes,
    otherPortRoutes: routes,
  });
  const serve = async (port: number, handler: Handler): Promise<number> => {
    const server = await env.serve({
      ...serveOptions(config),
      port,
      handler: withRequestLog(handler, env),
      reusePort: listen.isShared,
    });
    parts.addServer(server);
    return server.port;
  };
  const mainPort = await serve(listen.port, handlers.main);
  if (listen.opensOwnPorts) for (const own of handlers.ownPorts) await serve(own.port, own.handler);
  return mainPort;
}
