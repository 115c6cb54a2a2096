import { callerThrough } from '../access/forwarded-caller.ts';
import type { Gate } from '../access/gate.ts';
import { contextOf } from '../api/chain-name.ts';
import { bind, createApi, type Observer } from '../api/dispatch.ts';
import { healthRoutes } from '../api/health.ts';
import { type DocumentOptions, openApi } from '../api/openapi.ts';
import { cachedComponent } from '../api/probe-cache.ts';
import { referenceHandlers } from '../api/reference-page.ts';
import { type ChainVersion, createResponseCache, type SharedResponseCache } from '../api/response-cache.ts';
import type { HealthDeps, Served } from '../api/served.ts';
import { sha256 } from '../bytes/hash.ts';
import { memoize } from '../bytes/memoize.ts';
import type { Config } from '../config.ts';
import type { RecoverKey as CurveRecoverKey } from '../crypto/curve.ts';
import { dataDeps } from '../data/deps.ts';
import type { RecoverPublicKey } from '../data/render-credential.ts';
import { dataRoutes } from '../data/routes.ts';
import type { Handler, HttpRequest } from '../http/message.ts';
import type { Route } from '../http/router.ts';
import { statsRoutes } from '../stats/routes.ts';
import { signedPart } from '../tx/tx.ts';

export type ApiParts = {
  readonly config: Pick<Config, 'data' | 'stats' | 'access'>;
  readonly version: string;
  /** undefined: no index is kept, so nothing is served. */
  readonly served: Served | undefined;
  readonly health: HealthDeps;
  readonly gate: Gate;
  readonly sealKey: Uint8Array;
  /** How often the served chains were reverted. */
  readonly epoch: () => number;
  /** See api/answer-cache.ts. */
  readonly stamp: () => ChainVersion | Promise<ChainVersion>;
  readonly recoverKey: CurveRecoverKey;
  readonly meters: Observer;
  /** Answers that other processes made; see api/shared-answers.ts. */
  readonly shared?: SharedResponseCache;
  readonly report: (error: unknown) => void;
};

/** The Data and Metrics interfaces as the router takes them: trees of paths, and the two pages that describe them. */
export type Api = {
  readonly under: ReadonlyMap<string, Handler>;
  readonly pages: readonly (readonly [path: string, route: Route])[];
};

/** Which of the two a handler serves: both, or one of them on a port of its own. */
export type Side = 'data' | 'metrics' | 'both';

/** How many of those there are, and none. */
const sides = 4;

/** Answers are kept up to this many bytes. */
const keptBytes = 48 * 1024 * 1024;

export function createApis(parts: ApiParts): (side: Side | undefined) => Api {
  if (parts.served === undefined) return () => nothing;
  return apisOf(parts, parts.served);
}

const nothing: Api = { under: new Map(), pages: [] };

function apisOf(parts: ApiParts, served: Served): (side: Side | undefined) => Api {
  const { meters } = parts;
  const milliseconds = () => meters.now() * 1000;
  const { database, cache: sharedCache } = parts.health.components;
  const components = { database: cachedComponent(database, milliseconds), cache: cachedComponent(sharedCache, milliseconds) };
  const health = { ...parts.health, components };
  const rows = {
    data: [...bind('data', healthRoutes('v1'), health), ...bind('data', dataRoutes(), dataDeps(served, publicKeys(parts.recoverKey)))],
    metrics: [...bind('metrics', healthRoutes('v2'), health), ...bind('metrics', statsRoutes(), served)],
  };
  const now = served.now;
  const cache = createResponseCache({ maxBytes: keptBytes, stamp: parts.stamp, now, ...(parts.shared && { shared: parts.shared }) });
  // Asked for once for its paths and once for its pages: it is one and the same.
  return memoize(sides, (side) => {
    if (side === undefined) return nothing;
    const mine = [...(side === 'metrics' ? [] : rows.data), ...(side === 'data' ? [] : rows.metrics)];
    const routes = mine.filter(({ api }) => parts.config[api === 'data' ? 'data' : 'stats'].enabled);
    if (routes.length === 0) return nothing;
    const api = createApi({
      routes,
      gate: parts.gate,
      context: contextOf(served),
      cache,
      sealKey: parts.sealKey,
      epoch: parts.epoch,
      now,
      caller: callerThrough(parts.config.access.trustedProxies),
      origin: originOf,
      report: parts.report,
      observer: meters,
    });
    const reference = referenceHandlers(() => openApi(routes, documentOptions(parts, served)));
    return {
      under: new Map(['v1', 'v2'].map((first) => [first, api])),
      pages: [
        ['/api', { handler: reference.page }],
        ['/api-json', { handler: reference.json }],
      ],
    };
  });
}

const documentOptions = ({ version, config }: ApiParts, { network, chains: [x] }: Served): DocumentOptions => ({
  title: 'Serac: Data and Metrics of the X-Chain',
  version,
  description: `History, balances and throughput of the AVM chains of the network ${network.name}, in step with the chain.`,
  requireKey: config.access.requireKey,
  examples: { network: network.name, blockchainId: x.slug, chainId: x.aliases[0] },
});

/** Whose key it was, for answers that show who signed. */
const publicKeys =
  (recover: CurveRecoverKey): RecoverPublicKey =>
  (tx, signature) =>
    signature.length === 65 ? recover(sha256(signedPart(tx)), signature.subarray(0, 64), (signature[64] as number) & 3) : undefined;

/** Only what looks like a host is taken into answers. */
const originOf = (request: HttpRequest): string => {
  const host = request.header('host') ?? '';
  return /^[\w.:[\]-]{1,255}$/.test(host) ? `http://${host}` : 'http://localhost';
};
