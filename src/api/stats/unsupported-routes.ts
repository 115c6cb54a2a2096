import { unsupportedMetricsRows } from '../contract/metrics-routes.ts';
import { notFound } from '../rest/api-error.ts';
import { implementRoutes } from '../rest/route.ts';
import type { ServedChains } from '../rest/served-chains.ts';

/** Every operation answers with what this server lacks for it. */
export const unsupportedMetricsRoutes = implementRoutes<ServedChains>()(
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
