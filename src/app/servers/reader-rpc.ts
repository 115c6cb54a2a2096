import { createDevAccess, withoutOtherPages } from '../../api/http/dev-access.ts';
import { createNodeRoutes, devStatePath, maxTxBody } from '../../api/http/node-routes.ts';
import { createIndexRoute } from '../../api/rest/index-page.ts';
import { idText } from '../../base/bytes/id.ts';
import type { Config } from '../config/config.ts';
import { createChainServices } from '../node/chain-services.ts';
import { createCounterpartServices } from '../node/counterparts.ts';
import type { NetworkContext } from '../node/network-context.ts';
import type { AtomicOutputs, OpenedChain } from '../node/node-store.ts';
import type { Contribution, NamedRoute } from '../node/parts.ts';
import { createSoloReadings } from '../node/peer-readings.ts';
import type { ProcessMetrics } from '../node/process-metrics.ts';
import type { AvmChainSpec } from '../node/running-chain.ts';
import type { Env } from '../platform/env.ts';
import type { MessageToReader } from '../processes/messages.ts';
import { createForwardedRoute, createRelayedRoute, forwardWritesToWriter, rejectInReader } from '../processes/relayed-services.ts';
import type { WriterLink } from '../processes/writer-link.ts';
import { createInfoService } from './info-service.ts';
import { createRelayedLiveReads } from './live-reads.ts';
import { settingsRoutes } from './settings-route.ts';

type ReaderRpcDeps = {
  readonly context: NetworkContext;
  readonly store: Pick<AtomicOutputs, 'readAtomicUtxos'>;
  readonly chains: readonly (OpenedChain & { readonly spec: AvmChainSpec })[];
  readonly metrics: ProcessMetrics;
  readonly message: Extract<MessageToReader, { reader: 'start' }>;
  readonly link: WriterLink;
};

/** The Node RPC of a reader process: what it answers itself from the last commit, and what it passes on to the writer process. */
export function readerRpc(config: Config, env: Env, deps: ReaderRpcDeps): Contribution {
  const { context, message, link } = deps;
  const access = createDevAccess(config.devToken);
  const { statePort } = message;
  return {
    routes: [
      ...message.relayedPaths.map((path): NamedRoute => [path, createRelayedRoute(link.relay, path, access)]),
      ...(statePort === undefined
        ? []
        : [
            [
              devStatePath,
              createForwardedRoute((request) => env.forwardRequest(link.statePort() ?? statePort)(request), withoutOtherPages(access)),
            ] satisfies NamedRoute,
          ]),
      ...createOwnRoutes(config, env, deps),
      ...settingsRoutes(config, access),
      ...(context.differences.indexRoutes ? [createIndexRoute(() => message.index)] : []),
    ],
  };
}

function createOwnRoutes(config: Config, env: Env, { context, store, chains, metrics, message, link }: ReaderRpcDeps) {
  const { relay, isForwarding } = link;
  const info = createInfoService(config, env, context, {
    nodeID: message.nodeID,
    proofOfPossession: rejectInReader,
    isBootstrapped: () => true,
    readings: createSoloReadings(config, rejectInReader),
  });
  return createNodeRoutes({
    chains: [
      ...chains.map(({ spec, reads }) => {
        const path = `/ext/bc/${idText(spec.id)}`;
        const live = createRelayedLiveReads(relay, spec.id);
        const services = createChainServices(
          spec,
          reads,
          {
            issue: rejectInReader,
            queueWalletTx: rejectInReader,
            // Not by a call of the method: the writer process would count it once more.
            explainStatus: async (id) => (reads.hasTx(id) ? { status: 'Accepted' } : live.status(id)),
          },
          context.chain,
        );
        return {
          ...spec,
          maxBody: maxTxBody,
          services: {
            '': forwardWritesToWriter(metrics.meter(spec.aliases[0], services.avm), path, relay, isForwarding),
            '/wallet': forwardWritesToWriter(services.wallet, `${path}/wallet`, relay, isForwarding),
          },
        };
      }),
      // Only a node that decides its blocks alone has reader processes.
      ...createCounterpartServices(context, store.readAtomicUtxos, { runsOnNetwork: false }),
    ],
    info: config.apis.info ? forwardWritesToWriter(metrics.meter('info', info), '/ext/info', relay, isForwarding) : undefined,
    health: undefined,
    metrics: undefined,
  });
}
