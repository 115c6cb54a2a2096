import { Fault } from '../../base/fault.ts';
import { integer, map, object, oneOf, openObject, optional, text } from '../contract/schema.ts';
import { apiError } from './api-error.ts';
import { type ApiRoute, routeDefiner } from './route.ts';
import type { ApiHealthDeps } from './served-chains.ts';

/**
 * Health routes of one API: `v1` is the Data API, `v2` the Metrics API. The health check writes to every component and reads it back; the live
 * check only reads. A component that does not answer in time is down.
 */
export const apiHealthRoutes = (version: 'v1' | 'v2'): readonly ApiRoute<ApiHealthDeps>[] => {
  const prefix = version === 'v1' ? 'data' : 'metrics';
  const healthRoute = (path: string, id: string, summary: string, probe: 'probeWrite' | 'probeRead') =>
    routeDefiner<ApiHealthDeps>()({
      method: 'GET',
      path: `/${version}/${path}`,
      id: `${prefix}${id}`,
      tag: 'Health',
      summary,
      params: {},
      response: HealthCheckResult,
      errorSchemas: { 503: HealthCheckFailure },
      cachePolicy: 'never',
      isPublic: true,
      headers: { 'cache-control': 'no-cache, no-store, must-revalidate' },
      run: (deps) => checkAll(deps, probe),
    });
  return [
    healthRoute('health-check', 'HealthCheck', 'Writes to the database and the cache and reads it back', 'probeWrite'),
    healthRoute('live-check', 'LiveCheck', 'Reads from the database and the cache', 'probeRead'),
  ];
};

const HealthIndicator = openObject('HealthIndicatorResult', {
  status: oneOf(['up', 'down']),
  message: optional(text('Why it is down, or what is degraded.')),
});

const HealthCheckResult = object('HealthCheckResult', {
  status: oneOf(['ok', 'error', 'shutting_down']),
  info: map(HealthIndicator, 'The components that are up.'),
  error: map(HealthIndicator, 'The components that are down. Empty in a response with status 200.'),
  details: map(HealthIndicator, 'All components.'),
});

const HealthCheckFailure = object('HealthCheckFailure', {
  statusCode: integer(),
  message: text(),
  error: text(),
  status: oneOf(['error', 'shutting_down']),
  info: map(HealthIndicator, 'The components that are up.'),
  details: map(HealthIndicator, 'All components.'),
});

/** Milliseconds until a component that does not answer counts as down. */
const probeTimeout = 2000;

type Indicator = { readonly status: 'up'; readonly message?: string } | { readonly status: 'down'; readonly message: string };

async function checkAll(
  { components, isStopping, withTimeout, rateLimitsDegradedReason }: ApiHealthDeps,
  probe: 'probeWrite' | 'probeRead',
) {
  const probed = Object.fromEntries(
    await Promise.all(
      Object.entries(components).map(async ([name, component]): Promise<[string, Indicator]> => {
        try {
          await withTimeout(probeTimeout, component[probe]());
          return [name, { status: 'up' }];
        } catch (error) {
          return [name, { status: 'down', message: `${name} does not answer${reasonOf(error)}` }];
        }
      }),
    ),
  );
  // Requests are still answered in this state, so it is reported, but the server stays healthy.
  const degradedReason = rateLimitsDegradedReason?.();
  const details: Record<string, Indicator> = {
    ...probed,
    ...(degradedReason !== undefined && { rateLimits: { status: 'up', message: degradedReason } }),
  };
  const down = Object.keys(details).filter((name) => details[name]?.status === 'down');
  const info = Object.fromEntries(Object.entries(details).filter(([name]) => !down.includes(name)));
  if (isStopping()) throw apiError(503, 'The server is shutting down', { status: 'shutting_down', info, details });
  if (down.length > 0) throw apiError(503, `Not working: ${down.join(', ')}`, { status: 'error', info, details });
  return { status: 'ok', info, error: {}, details };
}

/** The code of an error. Its message is not shown, because messages of drivers contain addresses, users and files. */
function reasonOf(error: unknown): string {
  const code = error instanceof Fault ? error.fault.code : (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? ` (${code})` : '';
}
