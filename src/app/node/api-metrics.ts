import type { ResponseObserver } from '../../api/rest/dispatch.ts';
import type { BoundRoute } from '../../api/rest/route.ts';
import { memoize } from '../../base/cache/memoize.ts';
import { latencyBounds } from '../../base/metrics/node-metrics.ts';
import type { Counter, Histogram, MetricRegistry } from '../../base/metrics/registry.ts';

/** The metrics of one route. */
type RouteMeters = { readonly latency: Histogram; readonly requests: (status: number) => Counter };

/** Counts and times the requests of the Data and Metrics APIs. Node RPC calls have metrics of their own (see base/metrics/node-metrics.ts). */
export function createApiMeters(registry: MetricRegistry, now: () => number): ResponseObserver {
  const requests = registry.counters('serac_route_requests_total', 'Requests of the Data and Metrics APIs answered, by route and status.');
  const latency = registry.histograms(
    'serac_route_request_seconds',
    'Time to answer a request of the Data and Metrics APIs, by route.',
    latencyBounds,
  );
  const metersOf = memoize((route: BoundRoute | undefined): RouteMeters => {
    const labels = { api: route?.api ?? 'none', route: route?.route.id ?? 'none' };
    return { latency: latency(labels), requests: memoize((status: number) => requests({ ...labels, status: `${status}` })) };
  });
  return {
    now,
    onResponse: (route, status, seconds) => {
      const meters = metersOf(route);
      meters.requests(status).add(1);
      meters.latency.observe(seconds);
    },
  };
}
