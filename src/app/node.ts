import { formatEventID } from '../api/events/position.ts';
import { createForcedChecks } from '../api/health/forced-checks.ts';
import { createHealth } from '../api/health/health.ts';
import { applicationTag } from '../api/health/worker.ts';
import { createDevAccess } from '../api/http/dev-access.ts';
import type { Handler } from '../api/http/message.ts';
import { devStatePath } from '../api/http/node-routes.ts';
import { createReadyRoute } from '../api/http/ready-route.ts';
import type { HttpRoute } from '../api/http/router.ts';
import { createIndexRoute } from '../api/rest/index-page.ts';
import type { Block } from '../avm/tx/block.ts';
import { type Account, deriveAccounts, isTestMnemonic } from '../avm/wallet/accounts.ts';
import { checkMnemonic } from '../avm/wallet/mnemonic.ts';
import { idText } from '../base/bytes/id.ts';
import { createSignerCache } from '../base/crypto/recover.ts';
import { createSignerKeys } from '../base/crypto/signer-keys.ts';
import { Fault } from '../base/fault.ts';
import { createEventBus } from '../chain/lifecycle/events.ts';
import { createRecovery } from '../chain/recovery/recovery.ts';
import { loadIdentity } from '../network/identity/identity.ts';
import { withAddresses } from './chains/account-list.ts';
import { watchBootstrap } from './chains/bootstrap.ts';
import { createStoreProbe, registerChecks } from './chains/health-checks.ts';
import { type NodeChain, startNodeChain } from './chains/node-chains.ts';
import { createSoloReadings } from './chains/peer-readings.ts';
import { createTxLifecycles } from './chains/tx-lifecycles.ts';
import { type Config, isLoopback } from './config/config.ts';
import { createDevParts } from './dev/dev-parts.ts';
import { createDevServices } from './dev/dev-services.ts';
import { openNodeState } from './dev/node-state.ts';
import { createStateRoute } from './dev/state-route.ts';
import { startStateSaver } from './dev/state-saver.ts';
import { createChainVersionReader, createServedChainsOfNode } from './servers/api-parts.ts';
import { createEventParams, createEventsRouteOf, createWriterEvents } from './servers/events.ts';
import { createNodeGate, openKeyFinder } from './servers/gate.ts';
import { createHandlers } from './servers/handlers.ts';
import { createLiveReads, withLiveEndpoint } from './servers/live-reads.ts';
import { createNodeMetrics } from './servers/metrics.ts';
import { describeNode, type NodeDescription } from './servers/node-description.ts';
import { createNodeFeed, type NodeFeed } from './servers/node-feed.ts';
import { createNodeServers } from './servers/node-servers.ts';
import { createRoutesOfNode } from './servers/node-services.ts';
import { createNodeStop } from './servers/node-stop.ts';
import { openRateLimitBackend, withLimiterEndpoint } from './servers/rate-limit-backend.ts';
import { settingsRoutes } from './servers/settings-route.ts';
import type { WriterDeps } from './setup/avm-chain.ts';
import { type CloseStack, createCloseStack } from './setup/close-stack.ts';
import { createDiskError } from './setup/disk-space.ts';
import type { Env } from './setup/env.ts';
import { createNetworkContext, type NetworkContext } from './setup/network-context.ts';
import { openNodeStore } from './setup/node-store.ts';
import { stripCredentials } from './setup/served-network.ts';
import type { ReaderPool } from './workers/supervisor.ts';

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

export type StartOptions = {
  /** False: opens no port and starts no reader processes, which share the port. */
  readonly listens: boolean;
};

/** Starts a node. Everything is created, connected and, in reverse order, closed here. */
export async function startNode(config: Config, env: Env, options: StartOptions = { listens: true }): Promise<Node> {
  if (!isTestMnemonic(config.accounts.mnemonic)) await checkMnemonic(config.accounts.mnemonic);
  const context = createNetworkContext(config, env);
  const identity = loadIdentity(config.identity, { files: env.files, unixSeconds: env.clock.unixSeconds, random: env.random });
  const report = (error: unknown) => env.log(`serac: ${formatError(error)}`, error instanceof Fault ? 'warn' : 'error');
  const closing = createCloseStack(report);
  try {
    return await startWriter(config, env, context, identity, closing, report, options);
  } catch (error) {
    await closing.close().catch(report);
    throw error;
  }
}

async function startWriter(
  config: Config,
  env: Env,
  context: NetworkContext,
  identity: ReturnType<typeof loadIdentity>,
  closing: CloseStack,
  report: (error: unknown) => void,
  { listens }: StartOptions,
): Promise<Node> {
  const { chain, clock, specs, p, c } = context;
  const events = createEventBus(report);
  const signerKeys = createSignerKeys();
  const store = openNodeStore(config, env, context, 'write', events, signerKeys.get);
  closing.add(store.close);
  // Closing is in reverse order: the state is saved when no more blocks are added.
  let saveState = async (): Promise<void> => {};
  closing.add(() => saveState());
  const signers = createSignerCache(env.recoverKey, signerKeys);
  const recovery = createRecovery(signers, env);
  const timers = { ...env.timers, now: env.clock.monotonic, unix: clock.unixSeconds };
  let readers: ReaderPool | undefined;
  const informReaders = async (): Promise<void> =>
    readers?.setState({ clock: clock.save(), isForwarding: dev?.faults.isActive() === true });
  // The dev methods are for programs on this machine, or for callers with the token; each request is checked too (api/http/dev-access.ts).
  const hasDev = config.mode.kind === 'solo' && !config.publicApi && (isLoopback(config.http.host) || config.devToken !== undefined);
  const dev = hasDev ? createDevParts(env, () => void informReaders()) : undefined;
  const lifecycles = createTxLifecycles(env, context, events);

  const health = createHealth({
    now: clock.unixNanos,
    after: env.timers.after,
    interval: config.healthCheckFrequency,
    onChange: (kind, check, { error }) => {
      if (kind === 'health') events.publish({ kind, check, error, isHealthy: health.report('health', []).healthy });
    },
  });
  const forcedChecks = createForcedChecks(health);
  let stopAfterFailure = (): void => {};
  // Loaded only if it is needed, to keep the start of other nodes short.
  const network =
    config.mode.kind === 'join'
      ? await (await import('./chains/joined-network.ts')).openJoinedNetwork(config.mode, {
          config,
          env,
          context,
          identity,
          store,
          onFatal: (error) => {
            env.log(`serac: a decided block cannot be stored: ${formatError(error)}; stopping`, 'fatal');
            stopAfterFailure();
          },
        })
      : undefined;
  if (network !== undefined) closing.add(network.close);
  const metrics = createNodeMetrics(env, {
    chains: () => chains,
    storeBytes: store.sizeBytes,
    registerMore: network?.registerMetrics,
    failingChecks: () => Object.values(health.report('health', []).checks).filter(({ error }) => error !== undefined).length,
  });
  events.subscribe('accepted', ({ chainID, stored }) => metrics.countAccepted(chainID, stored.block));
  if (env.log.isShown('trace'))
    events.subscribe('accepted', ({ chainID, stored }) => logAccepted(env, chain.aliases.primary(chainID), stored.block));
  const rateLimits = await openRateLimitBackend(config, env);
  closing.add(rateLimits.close);
  const keys = openKeyFinder(config, env);
  closing.add(keys.close);
  closing.add(recovery.close);
  /** Incremented whenever commits begin to fail or succeed again. */
  let commitRevision = 0;
  const deps: WriterDeps = {
    ...chain,
    recover: signers.recover,
    signerKeys,
    recovery,
    timers,
    minBlockDelay: config.minBlockDelay,
    policy: config.mining,
    takeNextBlockTime: clock.takeNextBlockTime,
    publish: events.publish,
    ...(dev && { impersonation: dev.impersonation }),
    observerOf: lifecycles.observerOf,
    subnetID: context.subnetID,
    subnetOf: context.subnetOf,
    report,
    onCommitState: () => {
      commitRevision++;
      health.refresh();
    },
  };
  const accounts = deriveAccounts(config.mode.kind === 'solo' ? config.accounts : { ...config.accounts, count: 0 }, env.keyCrypto);
  const chains: NodeChain[] = [];
  for (const spec of specs) chains.push(await startNodeChain(spec, { config, env, context, store, deps, accounts, closing, network }));
  await network?.start();
  if (config.fork !== undefined)
    env.log(`serac: forked from ${stripCredentials(config.fork.url)}: its outputs are copied when they are first used`, 'info');
  clock.onChange(() => {
    for (const running of chains) running.dev?.chain.forgetDropReasons();
    events.publish({ kind: 'time', ...clock.read() });
    void informReaders();
  });

  let isDiskExhausted = false;
  let onDiskExhausted = (): void => {
    isDiskExhausted = true;
  };
  const readings = network?.readings ?? createSoloReadings(config, identity.signer.publicKey);
  const probeWrite = createStoreProbe(chains, store.probeWrite);
  const bootstrapped = watchBootstrap(chains, config.mode.kind === 'solo' ? [p, c] : [], health);
  registerChecks(forcedChecks, {
    subnetID: context.subnetID,
    chains,
    bootstrapped,
    // A follower reports no health for the P- and C-Chain of its network.
    counterparts: config.mode.kind === 'solo' ? [p, c] : [],
    readings,
    probeWrite,
    fileSystem: () => env.fileSystem(config.dataDir ?? '.'),
    disk: { ...config.disk, onExhausted: () => onDiskExhausted() },
    blsKey: identity.signer.publicKey,
    now: clock.unixNanos,
    extraChecks: context.differences.extraChecks,
  });
  if (network !== undefined && context.differences.extraChecks)
    forcedChecks.register('health', 'stakingkey', network.stakingKeyCheck, [applicationTag]);
  closing.add(health.stop);
  await health.start();
  if (isDiskExhausted && config.store === 'sqlite') throw createDiskError(config);

  const [x] = chains;
  const stop = createNodeStop(config, env, { health, readers: () => readers, closing });
  const apis = { ...config.apis, health: config.apis.health && !config.publicApi, dev: hasDev, explorer: config.explorer };
  const live = createLiveReads(lifecycles, chains);
  const served = createServedChainsOfNode(config, context, chains, identity.nodeID, live);
  const gate = createNodeGate(config, env, keys.finder, rateLimits.limiter);
  const hub =
    store.eventLog &&
    createWriterEvents(env, context, {
      log: store.eventLog,
      bus: events,
      onRevert: store.onRevert,
      findUtxo: (chainID) => chains.find(({ spec }) => spec.id === chainID)?.findUtxo ?? (() => undefined),
      readers: () => readers,
      isPublic: config.publicApi,
      report,
    });
  const state = hasDev || config.state !== undefined ? openNodeState({ config, env, context, store, chains, events }) : undefined;
  if (state !== undefined && config.state !== undefined) saveState = await startStateSaver(config.state, env, state.transfer, report);
  // The event stream and the servers are closed first, and together.
  const closeWithServers = closing.addGroup();
  if (hub !== undefined) closeWithServers(hub.close);
  const servers = createNodeServers(config, env, {
    listens,
    apis,
    aliases: specs.slice(1).map(({ aliases: [alias] }) => alias),
    closeLater: closeWithServers,
    isStopping: stop.isStopping,
  });
  const devAccess = createDevAccess(config.devToken);
  const extraRoutes: (readonly [string, HttpRoute])[] = [];
  if (hub !== undefined) extraRoutes.push(createEventsRouteOf(hub, { config, gate, context: createEventParams(context, served) }));
  if (hasDev && state !== undefined)
    extraRoutes.push([devStatePath, createStateRoute(state.transfer, (x as (typeof chains)[number]).lastAccepted, devAccess)]);
  extraRoutes.push(...settingsRoutes(config, devAccess));
  if (context.differences.indexRoutes)
    extraRoutes.push(
      createIndexRoute(servers.index),
      createReadyRoute(env.version, () => {
        if (stop.isStopping()) return 'the node is stopping';
        if (!health.report('readiness', []).healthy) return 'the node is not bootstrapped yet';
        return chains.some(({ commitFailure }) => commitFailure() !== undefined) ? 'blocks cannot be stored' : undefined;
      }),
    );
  const routes = createRoutesOfNode(config, env, context, {
    chains,
    store,
    identity: {
      nodeID: identity.nodeID,
      proofOfPossession: identity.signer.proofOfPossession,
      isBootstrapped: bootstrapped.isBootstrapped,
      readings,
    },
    health,
    metrics,
    readers: () => readers,
    withFaults: dev?.faults.apply,
    dev: dev &&
      state && {
        services: createDevServices({
          ...state,
          store,
          context,
          parts: dev,
          lifecycle: lifecycles.of(specs[0].id),
          chains,
          accounts,
          events,
          timers: env.timers,
          version: env.version,
          informReaders,
          forceCheck: forcedChecks.force,
        }),
        access: devAccess,
      },
    extraRoutes,
  });
  const feed = createNodeFeed(events, () =>
    chains.map(({ spec, reads, follower, joined }) => ({
      id: spec.id,
      alias: spec.aliases[0],
      reads,
      isCatchingUp: () => follower?.status().state === 'catching-up' || joined?.isBootstrapped() === false,
    })),
  );
  const handlers = createHandlers(config, env, {
    served,
    health: {
      components: {
        database: { probeWrite: async () => probeWrite(), probeRead: async () => store.probeRead(), revision: () => commitRevision },
        cache: { probeWrite: rateLimits.cache.probeWrite, probeRead: rateLimits.cache.probeRead },
      },
      isStopping: stop.isStopping,
      rateLimitsDegradedReason: () => rateLimits.limiter?.degradedReason?.(),
    },
    gate,
    sealKey: store.pageSecret(),
    epoch: store.epoch,
    readChainVersion: createChainVersionReader(chains),
    observer: metrics.apiObserver,
    report,
    nodeID: identity.nodeID,
    differences: context.differences,
    longWork: chain.longWork,
    onRefused: feed.onRefused,
    routes,
  });
  const handler = handlers.main;
  const started = await servers.open({
    handlers,
    relayHandler: withLiveEndpoint(live, withLimiterEndpoint(rateLimits.limiter, handler)),
    relayedPaths: [...routes.keys()],
    nodeID: identity.nodeID,
    onChange: () => void health.recheck('health', 'readers'),
    onRefused: feed.onReaderRefused,
  });
  readers = started;
  if (servers.readerCount > 0 && context.differences.extraChecks) {
    forcedChecks.register('health', 'readers', started.check, [applicationTag]);
    await health.recheck('health', 'readers');
  }

  stopAfterFailure = stop.stopAfterFailure;
  // A node with a chain in memory does not stop when the disk is full. AvalancheGo: node/node.go, diskSpaceCheck.
  if (config.store === 'sqlite')
    onDiskExhausted = () => {
      if (stop.isStopping()) return;
      env.log(`serac: ${createDiskError(config).message}; stopping`, 'fatal');
      stopAfterFailure();
    };
  return {
    url: servers.url(),
    stakingAddress: readings.nodeAddress(),
    handler,
    accounts: config.mode.kind === 'solo' ? withAddresses(accounts, context) : [],
    eventPosition: async () => {
      const { eventLog } = store;
      return eventLog && formatEventID(await eventLog.id(), { seq: await eventLog.last(), index: undefined });
    },
    describe: () =>
      describeNode(config, {
        version: env.version,
        nodeID: identity.nodeID,
        context,
        x,
        accounts,
        apis,
        servers,
        stakingAddress: readings.nodeAddress(),
      }),
    observe: feed.observe,
    readStatus: () => ({ height: x?.lastAccepted().height ?? 0n, pending: x?.pendingTxs().txs ?? 0 }),
    listen: servers.listen,
    close: stop.close,
  };
}

/** Writes a line for an accepted block. */
const logAccepted = ({ log }: Env, alias: string, { height, id, txs }: Block): void =>
  log(`serac: ${alias}: accepted block ${height}, ${idText(id)}, transactions: ${txs.length}`, 'trace');

/** The message of a fault; for any other error, which is a bug, the stack trace. */
const formatError = (error: unknown): string =>
  error instanceof Fault ? error.message : String((error as { stack?: unknown } | null)?.stack ?? error);
