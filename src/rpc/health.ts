import { methods, row } from './method.ts';
import { list, obj, str } from './params.ts';
import type { Json } from './write-json.ts';

/** Ready: done starting. Healthy: doing its work. Live: in no need of a restart. */
export type HealthKind = 'readiness' | 'health' | 'liveness';

/** The checks that were asked for, by name and in order, and whether all of them passed. */
export type HealthReport = { readonly checks: { readonly [name: string]: Json }; readonly healthy: boolean };

export type HealthDeps = { readonly report: (kind: HealthKind, tags: readonly string[]) => HealthReport };

const tagged = obj({ tags: list(str) });

/** Over JSON-RPC a sick node is a good answer; only the plain GET routes have a status for it. Peer: api/health/service.go. */
export const health = methods<HealthDeps>()({
  health: row(tagged, ({ report }, { tags }) => shownReport(report('health', tags))),
  liveness: row(tagged, ({ report }, { tags }) => shownReport(report('liveness', tags))),
  readiness: row(tagged, ({ report }, { tags }) => shownReport(report('readiness', tags))),
});

export const shownReport = ({ checks, healthy }: HealthReport): Json => ({ checks, healthy });
