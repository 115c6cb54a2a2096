import type { EventHub } from '../../api/events/hub.ts';
import { createDevAccess } from '../../api/http/dev-access.ts';
import { createNodeRoutes, devStatePath, maxTxBody } from '../../api/http/node-routes.ts';
import { createIndexRoute } from '../../api/rest/index-page.ts';
import { idText } from '../../base/bytes/id.ts';
import type { ChainClock } from '../../base/timing/chain-clock.ts';
import { createSoloReadings } from '../chains/peer-readings.ts';
import type { Config } from '../config/config.ts';
import { limitRefused } from '../feed/limit-refused.ts';
import { type AvmChainSpec, createChainServices } from '../setup/avm-chain.ts';
import { countReaders } from '../setup/cache-budget.ts';
import { createCounterpartServices } from '../setup/counterparts.ts';
import type { Env } from '../setup/env.ts';
import { createNetworkContext, type NetworkContext } from '../setup/network-context.ts';
import { type NodeStore, type OpenedChain, openNodeStore } from '../setup/node-store.ts';
import { hungTimeout, watchHeartbeat } from '../workers/heartbeat.ts';
import type { MessageFromReader, MessageToReader } from '../workers/messages.ts';
import { createRelayClient } from '../workers/relay.ts';
import {
  createForwardedRoute,
  createRelayedRoute,
  forwardWritesToWriter,
  rejectInReader,
  relayedHealthComponents,
  relayTxReport,
} from '../workers/relayed-services.ts';
import { apisOnMainPort, createChainVersionReader, createServedChainsOfNode } from './api-parts.ts';
import { createEventParams, createEventsRouteOf, createNodeHub } from './events.ts';
import { createNodeGate, openKeyFinder } from './gate.ts';
import { createHandlers } from './handlers.ts';
import { createInfoService } from './info-service.ts';
import { createRelayedLiveReads } from './live-reads.ts';
import { createNodeMetrics } from './metrics.ts';
import { createRelayedLimiter, openRateLimitBackend } from './rate-limit-backend.ts';
import { withRequestLog } from './request-log.ts';
import { serveOptions } from './serve-options.ts';
import { settingsRoutes } from './settings-route.ts';

/** Milliseconds without a message after which a reader kills the hung writer process, so that a supervisor (systemd) can restart the node. */
const killWriterAfter = 15_000;

/**
 * Starts a reader process: it shares the port, answers reads from the last committed block, and forwards all other calls to the writer
 * process. Answers are of the last commit, so a client that saw a transaction accepted by one process sees it in every process.
 */
export function startReader(config: Config, env: Env, parent: NonNullable<Env['parent']>): void {
  let isHung = false;
  const relay = createRelayClient(parent, env.timers);
  const report = (error: unknown) => env.log(`serac: reader: ${error}`, 'error');

  let isStopping = false;
  let isServing = false;
  let isForwarding = false;
  let clock: ChainClock | undefined;
  let hub: EventHub | undefined;
  const send = (message: MessageFromReader): void => parent.send(message);
  const refused = limitRefused(
    { show: (call) => send({ reader: 'refused', call }), showCounts: (counts) => send({ reader: 'refusedCounts', counts }) },
    env.timers.after,
  );
  const sendPong = (): void => parent.send({ reader: 'pong', isServing } satisfies MessageFromReader);

  const start = async ({ nodeID, port, relayedPaths, statePort, index }: Extract<MessageToReader, { reader: 'start' }>) => {
    const context = createNetworkContext(config, env);
    const store = openNodeStore(config, env, context, 'read');
    clock = context.clock;
    const metrics = createNodeMetrics(env, undefined);
    const rateLimits = await openRateLimitBackend(config, env);
    const keys = openKeyFinder(config, env);
    const processes = countReaders(config, env) + 1;
    const limiter =
      rateLimits.limiter !== undefined && config.cacheUrl === undefined ? createRelayedLimiter(relay, env, processes) : rateLimits.limiter;
    const chains = context.specs.map((spec) => ({ spec, ...store.openChain(spec) }));
    const served = createServedChainsOfNode(config, context, chains, nodeID, (chainID) => createRelayedLiveReads(relay, chainID));
    const gate = createNodeGate(config, env, keys.finder, limiter);
    hub =
      store.eventLog &&
      createNodeHub(store.eventLog, env, context, {
        onActive: (isListening) => parent.send({ reader: 'eventsListening', isListening } satisfies MessageFromReader),
        report,
      });
    const eventRoutes = hub === undefined ? [] : [createEventsRouteOf(hub, { config, gate, context: createEventParams(context, served) })];
    const readerRoutes = createReaderRoutes(
      config,
      env,
      context,
      chains,
      store.readAtomicUtxos,
      metrics,
      nodeID,
      relay,
      () => isForwarding,
    );
    const devAccess = createDevAccess(config.devToken);
    const { main } = createHandlers(config, env, {
      served,
      health: {
        components: relayedHealthComponents(relay, config.data.enabled && apisOnMainPort(config) !== 'metrics' ? 'v1' : 'v2'),
        isStopping: () => isStopping,
        rateLimitsDegradedReason: () => limiter?.degradedReason?.(),
      },
      gate,
      sealKey: store.pageSecret(),
      epoch: store.epoch,
      readChainVersion: createChainVersionReader(chains),
      observer: metrics.apiObserver,
      report,
      nodeID,
      differences: context.differences,
      longWork: context.chain.longWork,
      onRefused: config.banner === 'none' ? undefined : refused.add,
      routes: [
        ...relayedPaths.map((path) => [path, createRelayedRoute(relay, path, devAccess)] as const),
        ...(statePort === undefined ? [] : [[devStatePath, createForwardedRoute(env.forwardRequest(statePort), devAccess)] as const]),
        ...readerRoutes,
        ...eventRoutes,
        ...settingsRoutes(config, devAccess),
        ...(context.differences.indexRoutes ? [createIndexRoute(() => index)] : []),
      ],
    });
    const handler = withRequestLog(main, env);
    const server = await env.serve({ ...serveOptions(config), port, handler, reusePort: true });
    const close = async () => {
      hub?.close();
      await server.close();
      keys.close();
      await rateLimits.close();
      store.close();
    };
    isServing = true;
    sendPong();
    return { families: metrics.families, close };
  };

  const heartbeat = watchHeartbeat(env.timers, (silentFor) => {
    if (silentFor < hungTimeout) return;
    if (!isHung)
      env.log(`serac: the writer process has not answered for ${silentFor / 1000} s; calls that need it get status 503`, 'error');
    isHung = true;
    relay.setHung(true);
    if (silentFor !== killWriterAfter) return;
    env.log(`serac: the writer process has not answered for ${silentFor / 1000} s; killing it`, 'fatal');
    parent.kill();
  });

  let running: ReturnType<typeof start> | undefined;
  const stop = async () => {
    await (await running)?.close();
    env.exit(0);
  };
  parent.onClose(() => void stop());
  parent.onMessage(async (message) => {
    heartbeat.reset();
    if (isHung) relay.setHung(false);
    isHung = false;
    const received = message as MessageToReader;
    if (received.reader === 'ping') sendPong();
    if (received.reader === 'start') running = start(received);
    if (received.reader === 'eventsAdvanced') hub?.advance();
    if (received.reader === 'liveEvent') {
      const { kind, properties, subject, lastEntry } = received;
      hub?.sendLive(
        kind,
        () => properties,
        subject && (() => subject),
        () => lastEntry,
      );
    }
    if (received.reader === 'stopping') isStopping = true;
    if (received.reader === 'setState') {
      isForwarding = received.state.isForwarding;
      clock?.restore(received.state.clock);
      parent.send({ reader: 'done', id: received.id } satisfies MessageFromReader);
    }
    if (received.reader === 'stop') await stop();
    if (received.reader === 'getMetrics')
      parent.send({ reader: 'metrics', id: received.id, families: (await running)?.families() ?? [] } satisfies MessageFromReader);
  });
}

/** The Node RPC routes that a reader process answers itself; calls that write go to the writer process. */
function createReaderRoutes(
  config: Config,
  env: Env,
  context: NetworkContext,
  opened: readonly (OpenedChain & { readonly spec: AvmChainSpec })[],
  readAtomicUtxos: NodeStore['readAtomicUtxos'],
  metrics: ReturnType<typeof createNodeMetrics>,
  nodeID: string,
  relay: ReturnType<typeof createRelayClient>,
  isForwarding: () => boolean,
) {
  const { chain } = context;
  const chains = opened.map(({ spec, reads }) => {
    const path = `/ext/bc/${idText(spec.id)}`;
    const fetchTxReport = relayTxReport(path, relay);
    const services = createChainServices(
      spec,
      reads,
      {
        issue: rejectInReader,
        queueWalletTx: rejectInReader,
        report: (id) => (reads.hasTx(id) ? { status: 'Accepted' } : fetchTxReport(id)),
      },
      chain,
    );
    return {
      ...spec,
      maxBody: maxTxBody,
      services: {
        '': forwardWritesToWriter(metrics.meter(spec.aliases[0], services.avm), path, relay, isForwarding),
        '/wallet': forwardWritesToWriter(services.wallet, `${path}/wallet`, relay, isForwarding),
      },
    };
  });
  const info = createInfoService(config, env, context, {
    nodeID,
    proofOfPossession: rejectInReader,
    isBootstrapped: () => true,
    readings: createSoloReadings(config, rejectInReader),
  });
  return createNodeRoutes({
    chains: [...chains, ...createCounterpartServices(context, readAtomicUtxos, config.mode.kind !== 'solo')],
    info: config.apis.info ? forwardWritesToWriter(metrics.meter('info', info), '/ext/info', relay, isForwarding) : undefined,
    health: undefined,
    metrics: undefined,
    dev: undefined,
  });
}
