import { AsyncLocalStorage } from 'node:async_hooks';
import { healthRoutes } from '../api/health.ts';
import type { Handler, HttpResponse } from '../http/message.ts';
import { latencyBounds } from '../metrics/node-metrics.ts';
import type { Registry } from '../metrics/registry.ts';
import { statsRoutes } from '../stats/routes.ts';

/** Counts and times the requests of the Data and Metrics interfaces. */
export type ApiMeters = {
  /** For the dispatcher, which alone knows the route: told of it within the call of a timed handler, at any time before the answer. */
  readonly observe: (route: string | undefined, status: number) => void;
  /** The same handler, each request timed from its arrival to its answer. */
  readonly timed: (handler: Handler) => Handler;
};

/** `now` counts seconds from any point. Calls of the Node RPC are counted under names of their own: they have other labels. */
export function apiMeters(registry: Registry, now: () => number): ApiMeters {
  const requests = registry.counters(
    'serac_route_requests_total',
    'Requests of the Data and Metrics interfaces answered, by route and status.',
  );
  const latency = registry.histograms(
    'serac_route_request_seconds',
    'Time to answer a request of the Data and Metrics interfaces, by route.',
    latencyBounds,
  );
  const metricsRoutes = new Set([...healthRoutes('v2'), ...statsRoutes()].map(({ id }) => id));
  const asked = new AsyncLocalStorage<Asked>();

  const done = ({ route, start }: Asked, { status }: Pick<HttpResponse, 'status'>): void => {
    const labels = { api: apiOf(route), route: route ?? 'none' };
    requests({ ...labels, status: `${status}` }).add(1);
    latency(labels).observe(now() - start);
  };
  const apiOf = (route: string | undefined): string => {
    if (route === undefined) return 'none';
    return metricsRoutes.has(route) ? 'metrics' : 'data';
  };

  return {
    observe: (route) => {
      const request = asked.getStore();
      if (request !== undefined) request.route = route;
    },
    timed: (handler) => (request) => {
      const about: Asked = { route: undefined, start: now() };
      const answered = (response: HttpResponse): HttpResponse => {
        done(about, response);
        return response;
      };
      const response = asked.run(about, handler, request);
      return response instanceof Promise ? response.then(answered) : answered(response);
    },
  };
}

/** A request on its way; `route` is known once it was found. */
type Asked = { route: string | undefined; readonly start: number };
