import { Fault } from '../fault.ts';
import { refuse } from './refusal.ts';
import { type Route, route } from './route.ts';
import { integer, map, object, oneOf, optional, type Schema, text } from './schema.ts';
import type { HealthDeps } from './served.ts';

/**
 * Health of one interface under its version: `v1` for Data, `v2` for Metrics. Checking really writes to every component and reads it back;
 * the live check only reads. A component that does not answer in time is down.
 */
export const healthRoutes = (version: 'v1' | 'v2'): readonly Route<HealthDeps>[] => {
  const prefix = version === 'v1' ? 'data' : 'metrics';
  const row = (path: string, id: string, summary: string, kind: 'write' | 'read') =>
    route<HealthDeps>()({
      method: 'GET',
      path: `/${version}/${path}`,
      id: `${prefix}${id}`,
      tag: 'Health',
      summary,
      params: {},
      response: HealthCheckResult,
      failures: { 503: HealthCheckFailure },
      keep: 'never',
      open: true,
      headers: { 'cache-control': 'no-cache, no-store, must-revalidate' },
      run: (deps) => checkAll(deps, kind),
    });
  return [
    row('health-check', 'HealthCheck', 'Writes to the database and the cache and reads it back', 'write'),
    row('live-check', 'LiveCheck', 'Reads from the database and the cache', 'read'),
  ];
};

const HealthIndicator: Schema = {
  ...object('HealthIndicatorResult', {
    status: oneOf(['up', 'down']),
    message: optional(text('Why it is down, or what is not as usual.')),
  }),
  additionalProperties: true,
};

const indicators: Schema = map(HealthIndicator);

const HealthCheckResult: Schema = object('HealthCheckResult', {
  status: oneOf(['ok', 'error', 'shutting_down']),
  info: { ...indicators, description: 'The components that are up.' },
  error: { ...indicators, description: 'The components that are down: none in an answer with status 200.' },
  details: { ...indicators, description: 'All components.' },
});

const HealthCheckFailure: Schema = object('HealthCheckFailure', {
  statusCode: integer(),
  message: text(),
  error: text(),
  status: oneOf(['error', 'shutting_down']),
  info: { ...indicators, description: 'The components that are up.' },
  details: { ...indicators, description: 'All components.' },
});

/** Milliseconds that a component has for its answer. */
const timeLimit = 2000;

type Indicator = { readonly status: 'up'; readonly message?: string } | { readonly status: 'down'; readonly message: string };

async function checkAll({ components, stopping, within, rateLimits }: HealthDeps, kind: 'write' | 'read') {
  const probed = Object.fromEntries(
    await Promise.all(
      Object.entries(components).map(async ([name, component]): Promise<[string, Indicator]> => {
        try {
          await within(timeLimit, component[kind]());
          return [name, { status: 'up' }];
        } catch (error) {
          return [name, { status: 'down', message: `${name} does not answer${reasonOf(error)}` }];
        }
      }),
    ),
  );
  // Requests are still answered then, so this is told and makes nothing unhealthy.
  const reduced = rateLimits?.();
  const details: Record<string, Indicator> = {
    ...probed,
    ...(reduced !== undefined && { rateLimits: { status: 'up', message: reduced } }),
  };
  const down = Object.keys(details).filter((name) => details[name]?.status === 'down');
  const info = Object.fromEntries(Object.entries(details).filter(([name]) => !down.includes(name)));
  if (stopping()) throw refuse(503, 'The server is shutting down', { status: 'shutting_down', info, details });
  if (down.length > 0) throw refuse(503, `Not working: ${down.join(', ')}`, { status: 'error', info, details });
  return { status: 'ok', info, error: {}, details };
}

/** The error's code and nothing else of it: texts of drivers name addresses, users and files. */
function reasonOf(error: unknown): string {
  const code = error instanceof Fault ? error.fault.code : (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? ` (${code})` : '';
}
