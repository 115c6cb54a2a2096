import { createCallerResolver } from '../../api/access/forwarded-caller.ts';
import type { Gate } from '../../api/access/gate.ts';
import type { Limiter } from '../../api/access/rate-limit.ts';
import { createDataDeps } from '../../api/data/deps.ts';
import type { RecoverPublicKey } from '../../api/data/public-key-cache.ts';
import { dataRoutes } from '../../api/data/routes.ts';
import { eventsApiRoutes } from '../../api/events/events-route.ts';
import { createExplorerDeps } from '../../api/explorer-routes/deps.ts';
import { type ExplorerFeatures, explorerRoutes } from '../../api/explorer-routes/routes.ts';
import type { DevAccess } from '../../api/http/dev-access.ts';
import type { Handler } from '../../api/http/message.ts';
import type { HttpRoute } from '../../api/http/router.ts';
import { metricsApiRoutes } from '../../api/metrics-api/routes.ts';
import { createSeriesCache } from '../../api/metrics-api/series-cache.ts';
import { paramContextFor } from '../../api/rest/chain-name.ts';
import { createApi, type ResponseObserver } from '../../api/rest/dispatch.ts';
import { documentHandler, requestOrigin } from '../../api/rest/document-handler.ts';
import { apiHealthRoutes } from '../../api/rest/health.ts';
import { buildOpenApi, type DocumentOptions } from '../../api/rest/openapi.ts';
import { cachedComponent } from '../../api/rest/probe-cache.ts';
import type { ReadConsistency } from '../../api/rest/read-consistency.ts';
import { type ChainVersion, createResponseCache, type SharedResponseCache } from '../../api/rest/response-cache.ts';
import { bindRoutes } from '../../api/rest/route.ts';
import type { ApiHealthDeps, ServedChains } from '../../api/rest/served-chains.ts';
import { type WebhookDeps, webhookRoutes } from '../../api/webhooks/webhook-routes.ts';
import { sha256 } from '../../base/bytes/hash.ts';
import { memoize } from '../../base/cache/memoize.ts';
import type { RecoverKey as CurveRecoverKey } from '../../base/crypto/recover.ts';
import type { LongWork } from '../../base/timing/long-work.ts';
import type { Config } from '../config/config.ts';
import type { Env } from '../platform/env.ts';
import { createWithTimeout } from './timeout.ts';

/** What the Data and Metrics APIs read, and what their cached responses and page tokens depend on. */
export type ServedIndex = {
  /** undefined: there is no history index, so neither API is served. */
  readonly served: ServedChains | undefined;
  /** The same over a database that may lack blocks which were served, for answers that no later block changes. */
  readonly settled?: ServedChains;
  /** The key that page tokens are sealed with. */
  readonly sealKey: Uint8Array;
  /** The number of times the served chains were reverted. */
  readonly epoch: () => number;
  /** See api/rest/response-cache.ts. */
  readonly readChainVersion: () => Promise<ChainVersion>;
  /** Only where an index is read from several servers. */
  readonly consistency?: ReadConsistency | undefined;
  /** Responses cached by other processes; see rest/shared-response-cache.ts. */
  readonly sharedCache?: SharedResponseCache | undefined;
};

/** Who may call, and how often. */
export type ApiAccess = {
  readonly gate: Gate;
  /** undefined: requests are not limited. */
  readonly limiter: Limiter | undefined;
};

/** What the health routes of the APIs report. */
export type ApiHealth = Pick<ApiHealthDeps, 'components' | 'isStopping'>;

/** What this server offers beside the Data and Metrics APIs. */
export type ApiFeatures = {
  readonly explorer: ExplorerFeatures;
  /** Whether the explorer shows how far this server is behind the node that it follows. */
  readonly showsFollowing: boolean;
  /** Who manages webhooks, and with what; undefined: they are not managed here. */
  readonly webhooks: WebhookManagement | undefined;
};

export type WebhookManagement = Omit<WebhookDeps, 'served'> & { readonly operators: DevAccess };

/** The Data and Metrics APIs as the router takes them: a handler per path prefix, and the document that describes them. */
type ApiHandlers = {
  readonly prefixHandlers: ReadonlyMap<string, Handler>;
  readonly documents: readonly (readonly [path: string, route: HttpRoute])[];
  /** IDs of the operations, as in the API reference. */
  readonly operations: readonly string[];
};

/** The APIs that a port serves: both, or one of them on a port of its own. */
export type ApiSelection = 'data' | 'metrics' | 'both';

/** The path of the OpenAPI document. */
export const openApiPath = '/api-json';

const noHandlers: ApiHandlers = { prefixHandlers: new Map(), documents: [], operations: [] };

/** Returns a function that creates the handlers of a selection of the two APIs. */
export function createApiHandlers({
  config,
  env,
  index: { served, settled, sealKey, epoch, readChainVersion, consistency, sharedCache },
  access: { gate, limiter },
  health: { components, isStopping },
  features,
  longWork,
  observer,
  logError,
}: {
  readonly config: Pick<Config, 'data' | 'metricsApi' | 'access' | 'strict'>;
  readonly env: Pick<Env, 'version' | 'recoverKey' | 'timers'>;
  readonly index: ServedIndex;
  readonly access: ApiAccess;
  readonly health: ApiHealth;
  readonly features: ApiFeatures;
  readonly longWork: LongWork;
  readonly observer: ResponseObserver;
  readonly logError: (error: unknown) => void;
}): (selection: ApiSelection | undefined) => ApiHandlers {
  if (served === undefined) return () => noHandlers;
  const milliseconds = () => observer.now() * 1000;
  const { database, cache: sharedComponent } = components;
  const health: ApiHealthDeps = {
    components: { database: cachedComponent(database, milliseconds), cache: cachedComponent(sharedComponent, milliseconds) },
    isStopping,
    degraded: () => ({ rateLimits: limiter?.degradedReason?.() }),
    dataAge: served.dataAge,
    withTimeout: createWithTimeout(env.timers),
  };
  const depsOf = (chains: ServedChains) => createDataDeps(chains, { recover: createPublicKeyRecovery(env.recoverKey), epoch, longWork });
  const dataDeps = depsOf(served);
  const settledDeps = settled && depsOf(settled);
  const rows = {
    data: [
      ...bindRoutes('data', apiHealthRoutes('v1'), health),
      ...bindRoutes('data', dataRoutes(), dataDeps, settledDeps),
      ...bindRoutes(
        'data',
        explorerRoutes(features.explorer),
        createExplorerDeps(dataDeps),
        settledDeps && createExplorerDeps(settledDeps),
      ),
      ...(features.webhooks === undefined ? [] : bindRoutes('data', webhookRoutes, { ...features.webhooks, served })),
    ],
    metrics: [
      ...bindRoutes('metrics', apiHealthRoutes('v2'), health),
      ...bindRoutes('metrics', metricsApiRoutes(), { ...served, seriesCache: createSeriesCache() }),
    ],
  };
  const now = served.now;
  const cache = createResponseCache({ version: readChainVersion, now, shared: sharedCache });
  // Memoized, so that every use of a selection shares one API.
  return memoize((selection: ApiSelection | undefined) => {
    if (selection === undefined) return noHandlers;
    const allRoutes = [...(selection === 'metrics' ? [] : rows.data), ...(selection === 'data' ? [] : rows.metrics)];
    const routes = allRoutes.filter(({ api }) => config[api === 'data' ? 'data' : 'metricsApi'].enabled);
    if (routes.length === 0) return noHandlers;
    const api = createApi({
      routes,
      gate,
      context: paramContextFor(served),
      cache,
      sealKey,
      epoch,
      now,
      caller: createCallerResolver(config.access.trustedProxies),
      origin: requestOrigin,
      onUnexpectedError: logError,
      consistency,
      observer,
      operators: features.webhooks?.operators,
      dataAge: served.dataAge,
    });
    const documented = [
      ...routes.map(({ api, route }) => ({
        api,
        route,
        hasHeight: consistency !== undefined,
        hasAge: served.dataAge !== undefined,
      })),
      ...(!config.strict ? eventsApiRoutes.map((route) => ({ api: 'data' as const, route })) : []),
    ];
    return {
      prefixHandlers: new Map(['v1', 'v2'].map((first) => [first, api])),
      documents: [
        [
          openApiPath,
          { handler: documentHandler((origin) => buildOpenApi(documented, describeDocument(env.version, config, served, origin))) },
        ],
      ],
      operations: documented.map(({ route }) => route.id),
    };
  });
}

const describeDocument = (
  version: string,
  config: Pick<Config, 'access'>,
  { network, chains: [x] }: ServedChains,
  origin: string,
): DocumentOptions => ({
  title: 'Serac: Data and Metrics of the X-Chain',
  version,
  description: `History, balances and throughput of the AVM chains of the network ${network.name}, in step with the chain.`,
  requireKey: config.access.requireKey,
  origin,
  examples: { network: network.name, blockchainId: x.slug, chainId: x.aliases[0] },
});

/** Recovers the public key of a signature, for responses that show the signers of a transaction. */
const createPublicKeyRecovery =
  (recover: CurveRecoverKey): RecoverPublicKey =>
  (unsigned, signature) =>
    signature.length === 65 ? recover(sha256(unsigned), signature.subarray(0, 64), (signature[64] as number) & 3) : undefined;
