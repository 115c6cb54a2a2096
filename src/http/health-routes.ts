import { type HealthDeps, type HealthKind, shownReport } from '../rpc/health.ts';
import type { Services } from '../rpc/method.ts';
import { writeJson } from '../rpc/write-json.ts';
import type { Handler } from './message.ts';
import { queryValues } from './query.ts';
import type { Route } from './router.ts';

/**
 * The checks without JSON-RPC. Under a name of its own each kind answers every method alike;
 * the bare path answers GET so and is JSON-RPC for the others, HEAD too. Peer: node/node.go, initHealthAPI; api/health/handler.go.
 */
export const healthRoutes = (deps: HealthDeps, services: Services): readonly (readonly [path: string, Route])[] => [
  ['/ext/health', { services, get: reporter(deps, 'health') }],
  ['/ext/health/health', { handler: reporter(deps, 'health') }],
  ['/ext/health/liveness', { handler: reporter(deps, 'liveness') }],
  ['/ext/health/readiness', { handler: reporter(deps, 'readiness') }],
];

/** 200 if every selected check passed, else 503: a load balancer reads no bodies. */
const reporter =
  ({ report }: HealthDeps, kind: HealthKind): Handler =>
  ({ query }) => {
    const found = report(kind, queryValues(query, 'tag'));
    const body = `${writeJson(shownReport(found))}\n`;
    return { status: found.healthy ? 200 : 503, headers: { 'content-type': 'application/json' }, body };
  };
