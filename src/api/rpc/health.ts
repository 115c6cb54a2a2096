import { method, methodTable } from './method.ts';
import { list, obj, str } from './params.ts';
import type { Json } from './write-json.ts';

/** Readiness: startup is complete. Health: the node works. Liveness: the node needs no restart. */
export type HealthReportKind = 'readiness' | 'health' | 'liveness';

/** Results of the selected checks, by name and in order. `healthy`: all of them passed. */
export type HealthReport = { readonly checks: { readonly [name: string]: Json }; readonly healthy: boolean };

export type HealthRpcDeps = { readonly report: (kind: HealthReportKind, tags: readonly string[]) => HealthReport };

const tagsParam = obj({ tags: list(str) });

/** Over JSON-RPC a report of an unhealthy node is a normal result with status 200; only the GET routes answer 503. AvalancheGo: api/health/service.go. */
export const healthMethods = methodTable<HealthRpcDeps>()({
  health: method(tagsParam, ({ report }, { tags }) => healthReportJson(report('health', tags))),
  liveness: method(tagsParam, ({ report }, { tags }) => healthReportJson(report('liveness', tags))),
  readiness: method(tagsParam, ({ report }, { tags }) => healthReportJson(report('readiness', tags))),
});

export const healthReportJson = ({ checks, healthy }: HealthReport): Json => ({ checks, healthy });
