import { unsupportedMetricsRows } from '../contract/metrics-routes.ts';
import { notFound } from '../rest/api-error.ts';
import { type ApiRoute, implementRoutes } from '../rest/route.ts';
import type { ServedChains } from '../rest/served-chains.ts';
import { metricsChainRoutes } from './chain-routes.ts';
import { averageTpsRoutes, metricRoutes } from './metric-routes.ts';
import type { MetricsApiDeps } from './series-cache.ts';

/** All routes of the Metrics API except health. */
export const metricsApiRoutes = (): readonly ApiRoute<MetricsApiDeps>[] => [
  ...averageTpsRoutes,
  ...metricsChainRoutes,
  ...metricRoutes,
  ...unsupportedMetricsRoutes,
];

/** Every operation answers with what this server lacks for it. */
const unsupportedMetricsRoutes = implementRoutes<ServedChains>()(
  unsupportedMetricsRows,
  Object.fromEntries(
    Object.entries(unsupportedMetricsRows).map(([id, { missing }]) => [
      id,
      async (): Promise<never> => {
        throw notFound(`This server has no ${missing}`);
      },
    ]),
  ),
);
