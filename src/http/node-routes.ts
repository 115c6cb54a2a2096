import { type Id, idText } from '../bytes/id.ts';
import type { HealthDeps } from '../rpc/health.ts';
import type { Services } from '../rpc/method.ts';
import { healthRoutes } from './health-routes.ts';
import { isLocalCall } from './local-caller.ts';
import type { Route, Routes } from './router.ts';

/** A chain's names and what it answers: under its own path, and below it. */
export type ChainServices = {
  readonly id: Id;
  readonly aliases: readonly string[];
  /** By what follows the chain's path; '' is the path itself. */
  readonly services: { readonly [suffix: string]: Services };
  /** Bytes of a body that a call may have; see http/router.ts. */
  readonly maxBody?: number;
};

/** For chains that take transactions: eight times the text of the largest one. */
export const txMaxBody = 1_048_576;

/** What a node serves, as far as its flags allow it. */
export type NodeServices = {
  readonly chains: readonly ChainServices[];
  readonly info: Services | undefined;
  readonly health: { readonly services: Services; readonly deps: HealthDeps } | undefined;
  readonly metrics: readonly [path: string, route: Route] | undefined;
  readonly dev: Services | undefined;
  /** Further paths with handlers of their own. */
  readonly pages?: readonly (readonly [path: string, route: Route])[];
};

/** Every path of the node, exact and case-sensitive. */
export function routesOf({ chains, info, health, metrics, dev, pages = [] }: NodeServices): Routes {
  const rows: (readonly [string, Route])[] = [];
  for (const { id, aliases, services, maxBody } of chains)
    for (const base of chainPaths(id, aliases))
      for (const [suffix, answered] of Object.entries(services))
        rows.push([base + suffix, { services: answered, ...(maxBody !== undefined && { maxBody }) }]);
  if (info !== undefined) rows.push(['/ext/info', { services: info }]);
  if (health !== undefined) rows.push(...healthRoutes(health.deps, health.services));
  if (metrics !== undefined) rows.push(metrics);
  if (dev !== undefined) rows.push([devPath, { services: dev, allows: isLocalCall }]);
  rows.push(...pages);
  return new Map(rows);
}

/** Where programs on this machine, and nobody else, can change the chain's surroundings. */
export const devPath = '/ext/dev';

/** A chain answers under its id and its aliases; the primary network's have a shorter spelling too. Peer: node/node.go, initAPIAliases. */
const chainPaths = (id: Id, aliases: readonly string[]): string[] => [
  ...[idText(id), ...aliases].map((name) => `/ext/bc/${name}`),
  ...aliases.filter((name) => primaryNames.has(name)).map((name) => `/ext/${name}`),
];

const primaryNames = new Set(['X', 'avm', 'P', 'platform', 'C', 'evm']);
