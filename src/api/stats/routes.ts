import type { ApiRoute } from '../rest/route.ts';
import { averageTpsRoutes } from './average-tps.ts';
import { metricsChainRoutes } from './chain-routes.ts';
import { metricRoutes } from './metric-routes.ts';
import type { StatsDeps } from './series-cache.ts';
import { unsupportedMetricsRoutes } from './unsupported-routes.ts';

/** All routes of the Metrics API except health. */
export const statsRoutes = (): readonly ApiRoute<StatsDeps>[] => [
  ...averageTpsRoutes,
  ...metricsChainRoutes,
  ...metricRoutes,
  ...unsupportedMetricsRoutes,
];
