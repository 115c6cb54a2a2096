import type { BoundRoute, Observer } from '../api/dispatch.ts';
import { memoize } from '../bytes/memoize.ts';
import { latencyBounds } from '../metrics/node-metrics.ts';
import type { Counter, Histogram, Registry } from '../metrics/registry.ts';

/** Of one route. */
type Handles = { readonly latency: Histogram; readonly requests: (status: number) => Counter };

/** More than there are. */
const [maxRoutes, maxStatuses] = [1024, 100];

/** Counts and times the requests of the Data and Metrics interfaces. Calls of the Node RPC are counted under names of their own. */
export function apiMeters(registry: Registry, now: () => number): Observer {
  const requests = registry.counters(
    'serac_route_requests_total',
    'Requests of the Data and Metrics interfaces answered, by route and status.',
  );
  const latency = registry.histograms(
    'serac_route_request_seconds',
    'Time to answer a request of the Data and Metrics interfaces, by route.',
    latencyBounds,
  );
  const handlesOf = memoize(maxRoutes, (route: BoundRoute | undefined): Handles => {
    const labels = { api: route?.api ?? 'none', route: route?.row.id ?? 'none' };
    return { latency: latency(labels), requests: memoize(maxStatuses, (status: number) => requests({ ...labels, status: `${status}` })) };
  });
  return {
    now,
    answered: (route, status, seconds) => {
      const handles = handlesOf(route);
      handles.requests(status).add(1);
      handles.latency.observe(seconds);
    },
  };
}
