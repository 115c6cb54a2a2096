import { type Id, idText } from '../../base/bytes/id.ts';
import { formatMetrics, type MetricFamily, metricsContentType } from '../../base/metrics/family.ts';
import type { HealthRpcDeps } from '../rpc/health.ts';
import type { Services } from '../rpc/method.ts';
import { nodeHealthRoutes } from './health-routes.ts';
import type { HttpRoute, HttpRoutes } from './router.ts';

/** A chain's names and the services under its path. */
export type ChainServices = {
  readonly id: Id;
  readonly aliases: readonly string[];
  /** By the suffix after the chain's path; '' is the path itself. */
  readonly services: { readonly [suffix: string]: Services };
  /** The most bytes of a request body; see http/router.ts. */
  readonly maxBody?: number;
  /** Whether the chain is bootstrapping: its methods are then refused. */
  readonly isBootstrapping?: (() => boolean) | undefined;
};

/** AvalancheGo: api/server/server.go, rejectMiddleware. */
export const notBootstrapped = 'API call rejected because chain is not done bootstrapping';

/** `maxBody` of chains that accept transactions, in bytes: eight times the hex text of the largest transaction. */
export const maxTxBody = 1_048_576;

/** The services of a node; undefined ones are disabled by flags, or the writer process has them. dev-methods.ts adds the route of `dev`. */
type NodeServices = {
  readonly chains: readonly ChainServices[];
  readonly info: Services | undefined;
  readonly health: { readonly services: Services; readonly deps: HealthRpcDeps } | undefined;
  readonly metrics: readonly [path: string, route: HttpRoute] | undefined;
  /** Further routes, with their own handlers. */
  readonly extraRoutes?: readonly (readonly [path: string, route: HttpRoute])[];
};

/** Creates the routes of a node by path, which is exact and case-sensitive. */
export function createNodeRoutes({ chains, info, health, metrics, extraRoutes = [] }: NodeServices): HttpRoutes {
  const routes: (readonly [string, HttpRoute])[] = [];
  for (const { id, aliases, services, maxBody, isBootstrapping } of chains) {
    const unavailable = isBootstrapping && (() => (isBootstrapping() ? notBootstrapped : undefined));
    for (const base of chainPaths(id, aliases))
      for (const [suffix, chainServices] of Object.entries(services))
        routes.push([base + suffix, { services: chainServices, unavailable, maxBody }]);
  }
  if (info !== undefined) routes.push(['/ext/info', { services: info }]);
  if (health !== undefined) routes.push(...nodeHealthRoutes(health.deps, health.services));
  if (metrics !== undefined) routes.push(metrics);
  routes.push(...extraRoutes);
  return new Map(routes);
}

/** Prometheus metrics, rendered for every request. The writer process first collects the metrics of the reader processes. */
export const metricsRoute = (families: () => Promise<readonly MetricFamily[]>): readonly [path: string, HttpRoute] => [
  '/ext/metrics',
  { handler: async () => ({ status: 200, headers: { 'content-type': metricsContentType }, body: formatMetrics(await families()) }) },
];

/** The path of the developer methods, which only programs on this machine may call. */
export const devPath = '/ext/dev';

/** The state of all chains as a file. */
export const devStatePath = '/ext/dev/state';

/** Whether a path is open only to programs on this machine. */
export const isDevPath = (path: string): boolean => path === devPath || path.startsWith(`${devPath}/`);

/** Paths of a chain: by its ID and by each alias. Chains of the primary network also have short paths. AvalancheGo: node/node.go, initAPIAliases. */
const chainPaths = (id: Id, aliases: readonly string[]): string[] => [
  ...[idText(id), ...aliases].map((name) => `/ext/bc/${name}`),
  ...aliases.filter((name) => primaryNetworkAliases.has(name)).map((name) => `/ext/${name}`),
];

const primaryNetworkAliases = new Set(['X', 'avm', 'P', 'platform', 'C', 'evm']);
