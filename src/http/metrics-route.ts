import { expose, type Family, metricsContentType } from '../metrics/family.ts';
import type { Route } from './router.ts';

/** Prometheus text, made anew for every reader. Asynchronous, for a node of several processes asks the others first. */
export const metricsRoute = (families: () => readonly Family[] | Promise<readonly Family[]>): readonly [path: string, Route] => [
  '/ext/metrics',
  { handler: async () => ({ status: 200, headers: { 'content-type': metricsContentType }, body: expose(await families()) }) },
];
