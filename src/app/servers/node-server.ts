import type { Gate } from '../../api/access/gate.ts';
import { createOwnStreamLimit, type MemoryStreamLimit } from '../../api/access/stream-limit.ts';
import type { CallLog } from '../../api/calls/call-log.ts';
import type { CallRecorder } from '../../api/calls/call-recorder.ts';
import type { Labels } from '../../api/dev/labels.ts';
import { formatEventID } from '../../api/events/position.ts';
import { createDevAccess } from '../../api/http/dev-access.ts';
import type { Handler } from '../../api/http/message.ts';
import { devPath } from '../../api/http/node-routes.ts';
import { createReadyRoute } from '../../api/http/ready-route.ts';
import { createIndexRoute, type ServerIndex } from '../../api/rest/index-page.ts';
import type { HealthComponent, ServedChains } from '../../api/rest/served-chains.ts';
import type { Services } from '../../api/rpc/method.ts';
import type { Account } from '../../avm/wallet/accounts.ts';
import type { NamedCheck } from '../node/health-checks.ts';
import type { NodeChain, NodeChains } from '../node/node-chain.ts';
import type { NodeCore } from '../node/node-core.ts';
import { extraCheck, type NodeHealth } from '../node/node-health.ts';
import { startNodeHistory } from '../node/node-history.ts';
import type { NodeStore } from '../node/node-store.ts';
import type { NamedRoute } from '../node/parts.ts';
import type { PeerReadings } from '../node/peer-readings.ts';
import { registerNodeMetrics, registerRestarts } from '../node/process-metrics.ts';
import type { WriterHost } from '../platform/node-processes.ts';
import { openNodeAccess } from './access.ts';
import { createEventParams, createEventsRoutesOf, createStreamLimitOf, openEventStream, registerEventClients } from './event-stream.ts';
import { createHandlers } from './handlers.ts';
import { createLiveReads, withLiveEndpoint } from './live-reads.ts';
import { describeNode, type NodeDescription } from './node-description.ts';
import { createNodeFeed, type NodeFeed } from './node-feed.ts';
import { createNodePorts } from './node-ports.ts';
import { nodeRpc } from './node-rpc.ts';
import { openNodeWebhooks } from './node-webhooks.ts';
import { withLimiterEndpoint } from './rate-limit-backend.ts';
import { createChainVersionReader, createServedChainsOfNode } from './served-chains.ts';
import { settingsRoutes } from './settings-route.ts';

export type Node = {
  /** Empty if the node does not listen. */
  readonly url: string;
  /** The address for peers. */
  readonly stakingAddress: string;
  /** The node's request handler, usable without a socket. */
  readonly handler: Handler;
  /** The accounts of the developer's chain; none if the node follows another one. */
  readonly accounts: readonly (Account & { readonly address: string })[];
  /** The ID of the last event; undefined without an event stream. */
  readonly eventPosition: () => Promise<string | undefined>;
  readonly describe: () => NodeDescription;
  /** Passes blocks that are accepted and calls that are refused from now on to an observer. */
  readonly observe: NodeFeed['observe'];
  /** Height and pending transactions of the X-Chain. */
  readonly readStatus: () => { readonly height: bigint; readonly pending: number };
  /** Listens on one more port of the configured host; 0 picks a free one. Returns the URL. */
  readonly listen: (port: number) => Promise<string>;
  readonly close: () => Promise<void>;
};

/** Serves the interfaces of a node: Node RPC, Data and Metrics APIs, events, explorer, and what its parts have added. */
export async function serveNode({
  core,
  store,
  chains,
  readings,
  nodeHealth,
  accounts = [],
  labels,
  isAlone,
  hasMempool,
  withFaults,
  callLog,
  recorder,
  listens,
}: {
  readonly core: NodeCore;
  readonly store: NodeStore;
  readonly chains: NodeChains;
  readonly readings: PeerReadings;
  readonly nodeHealth: NodeHealth;
  readonly accounts?: Node['accounts'];
  /** Of a developer's chain. */
  readonly labels?: Labels | undefined;
  /** Whether this node decides its blocks alone: it then knows who proposed a block. */
  readonly isAlone: boolean;
  /** Whether transactions wait here; a follower passes them on. */
  readonly hasMempool: boolean;
  /** Delays calls and lets them fail as the developer asked for. */
  readonly withFaults?: ((services: Services) => Services) | undefined;
  /** Takes the calls that reader processes record. */
  readonly callLog?: CallLog | undefined;
  readonly recorder?: CallRecorder | undefined;
  /** False: opens no port and starts no reader processes, which share the port. */
  readonly listens: boolean;
}): Promise<Node> {
  const { config, env, context, identity, parts, health, metrics, stop, lifecycles, logError, phases } = core;
  const [x] = chains;
  const access = parts.add(await openNodeAccess(config, env));
  const history = parts.add(startNodeHistory(core, chains));
  const liveOf = createLiveReads(lifecycles, chains, history.of);
  const served = createServedChainsOfNode({ config, context, chains, builder: isAlone ? identity.nodeID : undefined, liveOf });
  const streamLimit = createStreamLimitOf(config);
  const webhooks = await openEvents({ core, store, chains, labels, gate: access.gate, served, streamLimit });
  parts.add(nodeRpc({ core, store, chains, readings, bootstrapped: nodeHealth.bootstrapped, runsOnNetwork: !isAlone, withFaults }));
  const apis = listApis(core, isAlone);
  const ports = createNodePorts(core, apis, recorder);
  parts.add({ routes: [...settingsRoutes(config, createDevAccess(config.devToken)), ...ownRoutes(core, chains, ports.index)] });
  registerMetrics(core, store, chains);
  const feed = createNodeFeed(core.bus, () => chains.map(describeForFeed));
  const routes = new Map(parts.routes());
  const handlers = createHandlers({
    config,
    env,
    index: { served, sealKey: store.pageSecret(), epoch: store.epoch, readChainVersion: createChainVersionReader(chains) },
    access: { gate: access.gate, limiter: access.limiter },
    health: {
      components: {
        database: databaseHealth(core, store, nodeHealth),
        cache: { probeWrite: access.cache.probeWrite, probeRead: access.cache.probeRead },
      },
      isStopping: stop.isStopping,
    },
    features: {
      explorer: { hasLifecycle: true, hasMempool },
      showsFollowing: x.follower !== undefined || x.joined !== undefined,
      webhooks: webhooks?.management,
    },
    rpc: {
      nodeID: identity.nodeID,
      differences: context.differences,
      longWork: context.chain.longWork,
      onRefused: feed.onRefused,
      onRead: core.readers.countRead && (() => core.readers.countRead?.('call')),
    },
    observer: metrics.apiObserver,
    logError,
    routes,
  });
  phases.end('interfaces');
  await ports.open({
    listens,
    handlers,
    relayHandler: withLiveEndpoint(liveOf, withLimiterEndpoint(access.limiter, handlers.main)),
    relayedPaths: [...routes.keys()],
    nodeID: identity.nodeID,
    logError,
    onChange: () => void health.recheck('health', 'readers'),
    onRefused: feed.onReaderRefused,
    onCalls: callLog?.add,
    streamLimit,
  });
  await addChecks(core, webhooks?.checks ?? []);
  phases.end('ports');
  env.log(phases.format(), 'debug');
  return {
    url: ports.url(),
    stakingAddress: readings.nodeAddress(),
    handler: recorder?.wrap(handlers.main) ?? handlers.main,
    accounts,
    eventPosition: () => readEventPosition(store),
    describe: () => describeNode(core, x, apis, ports),
    observe: feed.observe,
    readStatus: () => ({ height: x.lastAccepted().height, pending: x.pendingTxs().txs }),
    listen: ports.listen,
    close: stop.close,
  };
}

const databaseHealth = (core: NodeCore, store: NodeStore, nodeHealth: NodeHealth): HealthComponent => ({
  probeWrite: async () => nodeHealth.probeWrite(),
  probeRead: async () => store.probeRead(),
  revision: core.commitRevision,
});

/** The APIs that this node serves, as the banner and `GET /` list them. */
const listApis = ({ config, parts }: NodeCore, isAlone: boolean) => ({
  info: config.apis.info,
  health: config.apis.health && !config.publicApi,
  metrics: config.apis.metrics,
  // A joined node serves some of the dev.* methods; the pages of the explorer need all.
  dev: isAlone && parts.routes().some(([path]) => path === devPath),
  explorer: config.explorer,
});

/** Opens the event stream and its routes, and the webhooks, which are clients of it. Returns the webhooks; undefined with --strict, which has no events. */
async function openEvents({
  core,
  store,
  chains,
  labels,
  gate,
  served,
  streamLimit,
}: {
  readonly core: NodeCore;
  readonly store: NodeStore;
  readonly chains: NodeChains;
  readonly labels: Labels | undefined;
  readonly gate: Gate;
  readonly served: ServedChains | undefined;
  readonly streamLimit: MemoryStreamLimit | undefined;
}) {
  const { config, context, parts, metrics } = core;
  const hub = openEventStream(core, store, chains, labels);
  if (hub === undefined) return undefined;
  parts.addServer(hub);
  registerEventClients(metrics.registry, hub);
  parts.add({
    routes: createEventsRoutesOf(hub, {
      config,
      gate,
      context: createEventParams(context, served),
      streamLimit: streamLimit && createOwnStreamLimit(streamLimit),
    }),
  });
  return parts.add(await openNodeWebhooks(core, hub, served));
}

function registerMetrics({ env, parts, health, metrics, accepted }: NodeCore, store: NodeStore, chains: NodeChains): void {
  registerNodeMetrics(metrics.registry, env, accepted, {
    chains,
    storeBytes: store.sizeBytes,
    failingChecks: () => Object.values(health.report('health', []).checks).filter(({ error }) => error !== undefined).length,
  });
  parts.registerMetrics(metrics.registry);
  registerRestarts(metrics.registry, env.supervisor);
}

/** A chain as the terminal shows its blocks. */
const describeForFeed = ({ spec, reads, follower, joined }: NodeChain) => ({
  id: spec.id,
  alias: spec.aliases[0],
  reads,
  isCatchingUp: () => follower?.status().state === 'catching-up' || joined?.isBootstrapped() === false,
});

const readEventPosition = async ({ eventLog }: NodeStore): Promise<string | undefined> =>
  eventLog && formatEventID(await eventLog.id(), { entry: await eventLog.last(), index: undefined });

/** The index of all URLs, and `/ready`; none where answers are exactly those of AvalancheGo. */
function ownRoutes({ env, context, health, stop }: NodeCore, chains: NodeChains, index: () => ServerIndex): NamedRoute[] {
  if (!context.differences.indexRoutes) return [];
  const findReason = (): string | undefined => {
    if (stop.isStopping()) return 'the node is stopping';
    if (health.report('readiness', []).checks.bootstrapped?.error !== undefined) return 'the node is not bootstrapped yet';
    for (const { spec, dataAge } of chains) {
      const reason = dataAge?.notReady();
      if (reason !== undefined) return `${spec.aliases[0]}: ${reason}`;
    }
    return chains.some(({ commitFailure }) => commitFailure() !== undefined) ? 'blocks cannot be stored' : undefined;
  };
  return [createIndexRoute(index), createReadyRoute(env.version, async () => findReason())];
}

/**
 * Adds the health checks of parts that were opened after the others were registered, and of the node's processes: of the readers, which have
 * just been started, and of this one if it has a supervisor.
 */
async function addChecks({ env, context, forcedChecks, health, readers }: NodeCore, ofParts: readonly NamedCheck[]): Promise<void> {
  if (!context.differences.extraChecks) return;
  const { supervisor } = env;
  const connections = env.connections?.();
  connections?.onChange(() => void health.recheck('health', 'connections'));
  const checks = [
    ...ofParts,
    ...(connections === undefined ? [] : [extraCheck('connections', connections.check)]),
    ...(readers.count === 0 ? [] : [extraCheck('readers', readers.check)]),
    ...(supervisor === undefined ? [] : [extraCheck('writer', () => ({ details: describeRestarts(supervisor), error: undefined }))]),
  ];
  for (const { kind, name, check, tags } of checks) {
    forcedChecks.register(kind, name, check, tags);
    await health.recheck(kind, name);
  }
}

const describeRestarts = ({ restarts, reason }: WriterHost) => ({ restarts, ...(reason !== undefined && { lastReason: reason }) });
