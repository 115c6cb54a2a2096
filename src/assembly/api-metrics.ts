import type { Observer } from '../api/dispatch.ts';
import { latencyBounds } from '../metrics/node-metrics.ts';
import type { Registry } from '../metrics/registry.ts';

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
  return {
    now,
    answered: (route, status, seconds) => {
      const labels = { api: route?.api ?? 'none', route: route?.row.id ?? 'none' };
      requests({ ...labels, status: `${status}` }).add(1);
      latency(labels).observe(seconds);
    },
  };
}
