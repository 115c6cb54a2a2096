import type { StreamLimit } from '../../api/access/stream-limit.ts';
import type { CallRecorder } from '../../api/calls/call-recorder.ts';
import type { EventParamContext } from '../../api/events/filter.ts';
import type { EventHub } from '../../api/events/hub.ts';
import type { Handler } from '../../api/http/message.ts';
import type { LongWork } from '../../base/timing/long-work.ts';
import type { Config } from '../config/config.ts';
import type { Parts } from '../node/parts.ts';
import type { ProcessMetrics } from '../node/process-metrics.ts';
import type { Env } from '../platform/env.ts';
import type { ApiAccess, ApiFeatures, ApiHealth, ServedIndex } from './api.ts';
import { createEventsRoutesOf, registerEventClients } from './event-stream.ts';
import { createHandlers, type RpcAnswering } from './handlers.ts';
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
  recorder,
  listen,
}: {
  readonly config: Config;
  readonly env: Env;
  readonly parts: Parts;
  readonly index: ServedIndex;
  readonly access: ApiAccess;
  /** The event stream and its webhooks; undefined with --strict. */
  readonly events:
    | {
        readonly hub: EventHub;
        readonly params: EventParamContext;
        /** Limits the event streams of a caller; undefined: it does not. */
        readonly streamLimit: StreamLimit | undefined;
        readonly webhooks: ApiFeatures['webhooks'];
      }
    | undefined;
  readonly health: ApiHealth['components'];
  /** The node whose chains are served; its ID is empty in `serac api`, which is not a node. */
  readonly node: Pick<RpcAnswering, 'nodeID' | 'differences' | 'onRefused'> & { readonly explorerFeatures: ApiFeatures['explorer'] };
  /** This process. */
  readonly program: {
    readonly metrics: ProcessMetrics;
    readonly longWork: LongWork;
    readonly logError: (error: unknown) => void;
    readonly isStopping: () => boolean;
  };
  /** Of a reader process. */
  readonly recorder?: CallRecorder;
  readonly listen: {
    readonly port: number;
    /** Whether other processes listen on the same port. */
    readonly isShared: boolean;
    /** Whether the ports of APIs with a port of their own are opened too, with the same routes beside the API. */
    readonly opensOwnPorts: boolean;
  };
}): Promise<number> {
  const { metrics, longWork, logError, isStopping } = program;
  if (events !== undefined) {
    const { hub, params, streamLimit } = events;
    parts.addServer(hub);
    registerEventClients(metrics.registry, hub);
    parts.add({ routes: createEventsRoutesOf(hub, { config, gate: access.gate, context: params, streamLimit }) });
  }
  const routes = parts.routes();
  const handlers = createHandlers({
    config,
    env,
    index,
    access,
    health: { components: health, isStopping },
    features: { explorer: node.explorerFeatures, showsFollowing: false, webhooks: events?.webhooks },
    rpc: { nodeID: node.nodeID, differences: node.differences, longWork, onRefused: node.onRefused },
    observer: metrics.apiObserver,
    logError,
    routes,
    otherPortRoutes: routes,
  });
  const serve = async (port: number, handler: Handler): Promise<number> => {
    const server = await env.serve({
      ...serveOptions(config),
      port,
      handler: withRequestLog(recorder?.wrap(handler) ?? handler, env),
      reusePort: listen.isShared,
    });
    parts.addServer(server);
    return server.port;
  };
  const mainPort = await serve(listen.port, handlers.main);
  if (listen.opensOwnPorts) for (const own of handlers.ownPorts) await serve(own.port, own.handler);
  return mainPort;
}
