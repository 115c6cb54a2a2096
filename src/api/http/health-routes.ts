import { type HealthReportKind, type HealthRpcDeps, healthReportJson } from '../rpc/health.ts';
import type { Services } from '../rpc/method.ts';
import { type Json, writeJson } from '../rpc/write-json.ts';
import type { Handler } from './message.ts';
import { queryValues } from './query.ts';
import type { HttpRoute } from './router.ts';

/**
 * Health routes without JSON-RPC. `/ext/health/<kind>` answers every HTTP method with the report; `/ext/health` does so for GET, and is
 * JSON-RPC for all other methods, including HEAD. AvalancheGo: node/node.go, initHealthAPI; api/health/handler.go.
 */
export const nodeHealthRoutes = (deps: HealthRpcDeps, services: Services): readonly (readonly [path: string, HttpRoute])[] => [
  ['/ext/health', { services, get: createHealthHandler(deps, 'health') }],
  ['/ext/health/health', { handler: createHealthHandler(deps, 'health') }],
  ['/ext/health/liveness', { handler: createHealthHandler(deps, 'liveness') }],
  ['/ext/health/readiness', { handler: createHealthHandler(deps, 'readiness') }],
];

/** Answers 200 if every selected check passed, else 503, because load balancers read only the status. */
const createHealthHandler =
  ({ report }: HealthRpcDeps, kind: HealthReportKind): Handler =>
  async ({ query }) => {
    const found = report(kind, queryValues(query, 'tag'));
    const body = `${writeJson(healthReportJson(found) as Json)}\n`;
    return { status: found.healthy ? 200 : 503, headers: { 'content-type': 'application/json' }, body };
  };
