import { createNodeRoutes, maxTxBody } from '../../api/http/node-routes.ts';
import { healthMethods } from '../../api/rpc/health.ts';
import { combineServices, createService, type Services } from '../../api/rpc/method.ts';
import type { BootstrapState } from '../node/bootstrap.ts';
import { createCounterpartServices } from '../node/counterparts.ts';
import type { NodeChains } from '../node/node-chain.ts';
import type { NodeCore } from '../node/node-core.ts';
import type { AtomicOutputs } from '../node/node-store.ts';
import type { Contribution } from '../node/parts.ts';
import type { PeerReadings } from '../node/peer-readings.ts';
import { createMetricsRoute } from '../node/process-metrics.ts';
import { createInfoService } from './info-service.ts';

/** The Node RPC of the writer process: its chains, the P- and C-Chain, `info`, `health`, and the metrics route. */
export function nodeRpc({
  core: { config, env, context, identity, health, metrics, readers },
  store,
  chains,
  readings,
  bootstrapped,
  runsOnNetwork,
  withFaults = (services) => services,
}: {
  readonly core: NodeCore;
  readonly store: Pick<AtomicOutputs, 'readAtomicUtxos'>;
  readonly chains: NodeChains;
  readonly readings: PeerReadings;
  readonly bootstrapped: BootstrapState;
  /** Whether the P- and C-Chain of the network run elsewhere, so that the balances of their genesis are outdated. */
  readonly runsOnNetwork: boolean;
  /** Delays calls and lets them fail as the developer asked for. */
  readonly withFaults?: ((services: Services) => Services) | undefined;
}): Contribution {
  const info = createInfoService(config, env, context, {
    nodeID: identity.nodeID,
    proofOfPossession: identity.signer.proofOfPossession,
    isBootstrapped: bootstrapped.isBootstrapped,
    readings,
  });
  return {
    routes: createNodeRoutes({
      chains: [
        ...chains.map(({ spec, services, joined }) => ({
          ...spec,
          isBootstrapping: joined?.isBootstrapping,
          maxBody: maxTxBody,
          services: { '': withFaults(metrics.meter(spec.aliases[0], services.avm)), '/wallet': withFaults(services.wallet) },
        })),
        ...createCounterpartServices(context, store.readAtomicUtxos, { runsOnNetwork }),
      ],
      info: config.apis.info ? withFaults(metrics.meter('info', info)) : undefined,
      health:
        config.apis.health && !config.publicApi
          ? { services: withFaults(combineServices(createService('health', healthMethods, health))), deps: health }
          : undefined,
      metrics: config.apis.metrics ? createMetricsRoute(metrics, readers.collectFamilies) : undefined,
    }),
  };
}
