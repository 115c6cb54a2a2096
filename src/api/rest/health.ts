import { Fault } from '../../base/fault.ts';
import { apiHealthRows } from '../contract/health-routes.ts';
import { apiError } from './api-error.ts';
import { type ApiRoute, implementRoutes } from './route.ts';
import type { ApiHealthDeps } from './served-chains.ts';

/*
 * The health routes of the Data API (v1) and the Metrics API (v2). The health check says whether the server should get requests: it probes database and
 * cache with a write. The live check says whether a restart would help: it only reads.
 */

const routes = {
  v1: implementRoutes<ApiHealthDeps>()(apiHealthRows.v1, {
    dataHealthCheck: (deps) => checkAll(deps, 'probeWrite'),
    dataLiveCheck: (deps) => checkAll(deps, 'probeRead'),
  }),
  v2: implementRoutes<ApiHealthDeps>()(apiHealthRows.v2, {
    metricsHealthCheck: (deps) => checkAll(deps, 'probeWrite'),
    metricsLiveCheck: (deps) => checkAll(deps, 'probeRead'),
  }),
};

export const apiHealthRoutes = (version: 'v1' | 'v2'): readonly ApiRoute<ApiHealthDeps>[] => routes[version];

/** Milliseconds until a component that does not answer counts as down. */
const probeTimeout = 2000;

type Indicator = { readonly status: 'up'; readonly message?: string } | { readonly status: 'down'; readonly message: string };

async function checkAll({ components, isStopping, withTimeout, degraded, dataAge }: ApiHealthDeps, probe: 'probeWrite' | 'probeRead') {
  const probed = Object.fromEntries(
    await Promise.all(
      Object.entries(components).map(async ([name, component]): Promise<[string, Indicator]> => {
        try {
          await withTimeout(probeTimeout, component[probe]());
          return [name, { status: 'up', message: component.note?.() }];
        } catch (error) {
          return [name, { status: 'down', message: `${name} does not answer${reasonOf(error)}` }];
        }
      }),
    ),
  );
  // A degraded server still answers requests: the reason is shown, and the server stays healthy.
  const notes = Object.entries(degraded?.() ?? {}).flatMap(([name, message]): [string, Indicator][] =>
    message === undefined ? [] : [[name, { status: 'up', message }]],
  );
  const problem = dataAge?.problem();
  const details: Record<string, Indicator> = { ...probed, ...Object.fromEntries(notes) };
  // The index that is served is old. A restart of this server would not change that, so only the health check fails.
  if (problem !== undefined) details.index = { status: probe === 'probeWrite' ? 'down' : 'up', message: problem };
  const down = Object.keys(details).filter((name) => details[name]?.status === 'down');
  const info = Object.fromEntries(Object.entries(details).filter(([name]) => !down.includes(name)));
  if (isStopping()) throw apiError(503, 'The server is shutting down', { status: 'shutting_down', info, details });
  if (down.length > 0) throw apiError(503, `Not working: ${down.join(', ')}`, { status: 'error', info, details });
  return { status: 'ok', info, error: {}, details } as const;
}

/** The code of an error. Its message is not shown, because messages of drivers contain addresses, users and files. */
function reasonOf(error: unknown): string {
  const code = error instanceof Fault ? error.fault.code : (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? ` (${code})` : '';
}
