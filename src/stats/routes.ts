import type { ApiRoute } from '../api/route.ts';
import type { ServedChains } from '../api/served-chains.ts';
import { averageTpsRoute } from './average-tps.ts';
import { metricsChainRoutes } from './chain-routes.ts';
import { metricRoutes } from './metric-routes.ts';
import { unsupportedMetricsRoutes } from './unsupported-routes.ts';

/** All routes of the Metrics API except health. */
export const statsRoutes = (): readonly ApiRoute<ServedChains>[] => [
  averageTpsRoute,
  ...metricsChainRoutes,
  ...metricRoutes,
  ...unsupportedMetricsRoutes,
];
