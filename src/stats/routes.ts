import type { Route } from '../api/route.ts';
import type { Served } from '../api/served.ts';
import { averageTpsRoute } from './average-tps.ts';
import { chainRoutes } from './chain-routes.ts';
import { metricRoutes } from './metric-routes.ts';
import { elsewhereRoutes } from './unsupported-routes.ts';

/** The Metrics interface, health aside. */
export const statsRoutes = (): readonly Route<Served>[] => [averageTpsRoute, ...chainRoutes, ...metricRoutes, ...elsewhereRoutes];
