import { createCallerResolver } from '../../api/access/forwarded-caller.ts';
import type { Gate } from '../../api/access/gate.ts';
import type { ServiceRow } from '../../api/contract/client-services.ts';
import { buildOpenRpc, buildServiceOpenRpc } from '../../api/contract/openrpc.ts';
import { type ServiceName, services } from '../../api/contract/services.ts';
import type { Handler } from '../../api/http/message.ts';
import { type AdmitCalls, createRouter, type HttpRoute } from '../../api/http/router.ts';
import type { ResponseObserver } from '../../api/rest/dispatch.ts';
import { documentHandler } from '../../api/rest/document-handler.ts';
import type { RpcOptions } from '../../api/rpc/json-rpc.ts';
import { createSlots } from '../../base/timing/slots.ts';
import { createDocsHandler } from '../../explorer/pages/docs-handler.ts';
import type { Config } from '../config/config.ts';
import type { Env } from '../platform/env.ts';
import {
  type ApiAccess,
  type ApiFeatures,
  type ApiHealth,
  type ApiSelection,
  createApiHandlers,
  openApiPath,
  type ServedIndex,
} from './api.ts';
import { createExplorer, withHomePage } from './explorer.ts';
import { apisOnMainPort, apisOnOwnPorts } from './serve-options.ts';

/** How calls of the Node RPC are answered. */
export type RpcAnswering = Pick<RpcOptions, 'differences' | 'longWork' | 'onRefused' | 'onRead'> & {
  /** Empty in `serac api`, which is not a node. */
  readonly nodeID: string;
};

type NamedRoutes = Iterable<readonly [path: string, route: HttpRoute]>;

/** The request handlers of a process, one per port. */
export type Handlers = {
  readonly main: Handler;
  /** The APIs that have a port of their own. */
  readonly ownPorts: readonly { readonly selection: ApiSelection; readonly port: number; readonly handler: Handler }[];
};

/** Batches of Node RPC calls that a process runs at the same time; the others wait. */
const maxRunningBatches = 4;

/** Creates the handlers from the Node RPC routes and the Data and Metrics APIs; used by the writer, its readers and `serac api`. */
export function createHandlers({
  config,
  env,
  index,
  access,
  health,
  features,
  rpc: { nodeID, differences, longWork, onRefused, onRead },
  observer,
  logError,
  routes,
  otherPortRoutes = [],
}: {
  readonly config: Config;
  readonly env: Env;
  readonly index: ServedIndex;
  readonly access: ApiAccess;
  readonly health: ApiHealth;
  readonly features: ApiFeatures;
  readonly rpc: RpcAnswering;
  readonly observer: ResponseObserver;
  readonly logError: (error: unknown) => void;
  /** Routes of the main port beside the Data and Metrics APIs. */
  readonly routes: NamedRoutes;
  /** Routes of the other ports beside the Data or Metrics API. */
  readonly otherPortRoutes?: NamedRoutes;
}): Handlers {
  const apis = createApiHandlers({ config, env, index, access, health, features, longWork, observer, logError });
  const explorer = createExplorer(config, env, features.showsFollowing);
  const docs = createDocsHandler(env.loadDocs);
  const { allowedHosts, allowedOrigins } = config.http;
  const admitCalls = createRpcLimit(config, access.gate);
  const limitBatches = createSlots({ total: maxRunningBatches }).run;
  const rpcOptions = { differences, onUnexpectedError: logError, longWork, limitBatches, onRefused, onRead };
  const createPortHandler = (selection: ApiSelection | undefined, paths: NamedRoutes): Handler => {
    const { prefixHandlers, documents, operations } = apis(selection);
    const ownRoutes = withOpenRpc(new Map([...documents, ...paths]), env.version, differences.underscoreNames);
    const pages = explorer({
      served: index.served,
      selection,
      routes: ownRoutes,
      operations,
      handler: (request) => router(request),
      longWork,
    });
    const routes = withHomePage(ownRoutes, pages);
    const router = createRouter({
      routes,
      prefixHandlers,
      pages: (request) => docs(request) ?? pages?.(request),
      nodeID,
      allowedHosts,
      allowedOrigins,
      rpcOptions,
      admitCalls,
    });
    return router;
  };
  return {
    main: createPortHandler(apisOnMainPort(config), routes),
    ownPorts: apisOnOwnPorts(config).map(({ selection, port }) => ({
      selection,
      port,
      handler: createPortHandler(selection, otherPortRoutes),
    })),
  };
}

/** The path of the OpenRPC document. Below it is one for each service, such as `/openrpc-json/avm`. */
const openRpcPath = '/openrpc-json';

/** Adds documents of the Node RPC methods to the routes of a port that has an API reference and any method: one of all; with `underscoreNames` one of each service. */
function withOpenRpc(routes: Map<string, HttpRoute>, version: string, underscoreNames: boolean): Map<string, HttpRoute> {
  const isServed = (path: string, method: string): boolean => {
    const route = routes.get(path);
    // A reader process passes some paths to the writer as they are.
    return route !== undefined && (!('services' in route) || route.services.methods.has(method));
  };
  const hasMethods = [...routes.keys()].some((path) => path.startsWith('/ext/bc/') || path === '/ext/info');
  if (!routes.has(openApiPath) || !hasMethods) return routes;
  routes.set(openRpcPath, { handler: documentHandler((origin) => buildOpenRpc(version, origin, isServed)) });
  if (!underscoreNames) return routes;
  for (const [service, { path }] of Object.entries(services) as [ServiceName, ServiceRow][])
    if (routes.has(path))
      routes.set(`${openRpcPath}/${service}`, {
        handler: documentHandler((origin) => buildServiceOpenRpc(service, version, origin, isServed)),
      });
  return routes;
}

/**
 * Limits the Node RPC by address with `--public-api`, where rate limits apply. Calls that another process of the node passes on were counted
 * there.
 */
function createRpcLimit({ publicApi, access }: Pick<Config, 'publicApi' | 'access'>, gate: Gate): AdmitCalls | undefined {
  if (!publicApi || !access.rateLimits) return undefined;
  const callerOf = createCallerResolver(access.trustedProxies);
  return async (request, calls) => {
    if (request.remoteAddress === undefined) return undefined;
    const decision = await gate.admit({ api: 'node', route: undefined, isPublic: false, key: undefined, caller: callerOf(request), calls });
    return decision.admitted ? undefined : decision;
  };
}
