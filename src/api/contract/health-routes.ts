import { route } from './route.ts';
import { integer, map, object, oneOf, openObject, optional, text } from './schema.ts';

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

const health = {
  method: 'GET',
  tag: 'Health',
  params: {},
  response: HealthCheckResult,
  errorSchemas: { 503: HealthCheckFailure },
  cachePolicy: 'never',
  isPublic: true,
  headers: { 'cache-control': 'no-cache, no-store, must-revalidate' },
} as const;

const healthCheck = { ...health, summary: 'Writes a value to the database and to the cache, and reads both back' };
const liveCheck = { ...health, summary: 'Reads from the database and the cache' };

/**
 * The health routes of the Data API (`v1`) and the Metrics API (`v2`). The health check writes to every component and reads it back; the live
 * check only reads. A component that does not answer in time is down.
 */
export const apiHealthRows = {
  v1: {
    dataHealthCheck: route({ ...healthCheck, path: '/v1/health-check' }),
    dataLiveCheck: route({ ...liveCheck, path: '/v1/live-check' }),
  },
  v2: {
    metricsHealthCheck: route({ ...healthCheck, path: '/v2/health-check' }),
    metricsLiveCheck: route({ ...liveCheck, path: '/v2/live-check' }),
  },
};
