import { healthRows } from '../contract/info-methods.ts';
import type { JsonOf } from '../contract/views.ts';
import { implement } from './method.ts';

/** Readiness: startup is complete. Health: the node works. Liveness: the node needs no restart. */
export type HealthReportKind = 'readiness' | 'health' | 'liveness';

/** Results of the selected checks, by name and in order. `healthy`: all of them passed. */
type HealthReport = JsonOf<(typeof healthRows)['health']['result']>;

export type HealthRpcDeps = { readonly report: (kind: HealthReportKind, tags: readonly string[]) => HealthReport };

/** Over JSON-RPC a report of an unhealthy node is a normal result with status 200; only the GET routes answer 503. AvalancheGo: api/health/service.go. */
export const healthMethods = implement<HealthRpcDeps>()(healthRows, {
  health: async ({ report }, { tags }) => healthReportJson(report('health', tags)),
  liveness: async ({ report }, { tags }) => healthReportJson(report('liveness', tags)),
  readiness: async ({ report }, { tags }) => healthReportJson(report('readiness', tags)),
});

export const healthReportJson = ({ checks, healthy }: HealthReport): HealthReport => ({ checks, healthy });
