import type { Health } from '../../api/health/health.ts';
import { createNodeRoutes, maxTxBody, type NodeServices } from '../../api/http/node-routes.ts';
import type { HttpRoutes } from '../../api/http/router.ts';
import { healthMethods } from '../../api/rpc/health.ts';
import { combineServices, createService, type Services } from '../../api/rpc/method.ts';
import type { NodeChain } from '../chains/node-chains.ts';
import type { Config } from '../config/config.ts';
import { createCounterpartServices } from '../setup/counterparts.ts';
import type { Env } from '../setup/env.ts';
import type { NetworkContext } from '../setup/network-context.ts';
import type { NodeStore } from '../setup/node-store.ts';
import type { ReaderPool } from '../workers/supervisor.ts';
import { createInfoService, type NodeIdentity } from './info-service.ts';
import { createMetricsRoute, type NodeMetrics } from './metrics.ts';

export type NodeServiceParts = Pick<NodeServices, 'dev' | 'extraRoutes'> & {
  readonly chains: readonly NodeChain[];
  readonly store: Pick<NodeStore, 'readAtomicUtxos'>;
  readonly identity: NodeIdentity;
  readonly health: Health;
  readonly metrics: NodeMetrics;
  readonly readers: () => Pick<ReaderPool, 'collectFamilies'> | undefined;
  /** Delays calls and lets them fail as the developer asked for; undefined without `dev.*` methods. */
  readonly withFaults: ((services: Services) => Services) | undefined;
};

/** Creates the routes of the writer process: the Node RPC of its chains and of the node, metrics, and what `parts` adds. */
export function createRoutesOfNode(config: Config, env: Env, context: NetworkContext, parts: NodeServiceParts): HttpRoutes {
  const { chains, store, identity, health, metrics, readers, withFaults = (services) => services, dev, extraRoutes = [] } = parts;
  return createNodeRoutes({
    chains: [
      ...chains.map(({ spec, services }) => ({
        ...spec,
        maxBody: maxTxBody,
        services: { '': metrics.meter(spec.aliases[0], withFaults(services.avm)), '/wallet': withFaults(services.wallet) },
      })),
      ...createCounterpartServices(context, store.readAtomicUtxos, config.mode.kind !== 'solo'),
    ],
    info: config.apis.info ? metrics.meter('info', withFaults(createInfoService(config, env, context, identity))) : undefined,
    health:
      config.apis.health && !config.publicApi
        ? { services: withFaults(combineServices(createService('health', healthMethods, health))), deps: health }
        : undefined,
    metrics: config.apis.metrics ? createMetricsRoute(metrics, async () => (await readers()?.collectFamilies()) ?? []) : undefined,
    dev,
    extraRoutes,
  });
}
