import { idText } from './bytes/id.ts';
import { createEventBus } from './chain/events.ts';
import { type BannerInfo, knownKey } from './cli/banner.ts';
import { progressSince } from './cli/progress.ts';
import { type Config, isLoopback } from './config.ts';
import { createSignerCache } from './crypto/recover.ts';
import { Fault } from './fault.ts';
import { shuttingDownCheck } from './health/checks.ts';
import { createHealth, type Health } from './health/health.ts';
import { applicationTag } from './health/worker.ts';
import type { Handler } from './http/message.ts';
import { routesOf, txMaxBody } from './http/node-routes.ts';
import { loadIdentity } from './identity/identity.ts';
import type { SqliteIndex } from './index-sqlite/sqlite-index.ts';
import { isPublic } from './network.ts';
import type { Server } from './platform/serve.ts';
import { createRecovery } from './recovery/recovery.ts';
import type { AvmReads } from './rpc/avm.ts';
import { balancesOf } from './rpc/balance.ts';
import { dev } from './rpc/dev.ts';
import { health as healthRows } from './rpc/health.ts';
import { type Services, service, servicesOf } from './rpc/method.ts';
import { pause } from './timing/pause.ts';
import type { Block } from './tx/block.ts';
import type { Side } from './wiring/api.ts';
import { servedHere, stampOf } from './wiring/api-parts.ts';
import { type AvmChainSpec, addressesOf, chainServices, runChain, type WriterDeps } from './wiring/avm-chain.ts';
import { watchBootstrap } from './wiring/bootstrap.ts';
import { type CloseStack, createCloseStack } from './wiring/close-stack.ts';
import { servedCounterparts } from './wiring/counterparts.ts';
import { diskExhausted } from './wiring/disk-space.ts';
import type { Env } from './wiring/env.ts';
import { followChain } from './wiring/follow.ts';
import { gateOf, openKeys } from './wiring/gate.ts';
import { createHandlers } from './wiring/handlers.ts';
import { registerChecks, storeProbe } from './wiring/health-checks.ts';
import { infoService } from './wiring/info-service.ts';
import { metricsOf, nodeMetrics } from './wiring/metrics.ts';
import { createNetworkContext, type NetworkContext } from './wiring/network-context.ts';
import { type NodeStore, openNodeStore } from './wiring/node-store.ts';
import { countingHandler, openRateLimitBackend } from './wiring/rate-limit-backend.ts';
import { withRequestLog } from './wiring/request-log.ts';
import { serveOptions, urlOf } from './wiring/serve-options.ts';
import { type Readers, startReaders } from './workers/supervisor.ts';

export type Node = {
  readonly url: string;
  /** The whole node as a function from request to response, without a socket. */
  readonly handler: Handler;
  readonly about: () => Omit<BannerInfo, 'readySeconds' | 'warnings'>;
  readonly close: () => Promise<void>;
};

/** The composition root: everything is made here, joined here, and closed here in reverse. */
export async function startNode(config: Config, env: Env): Promise<Node> {
  const frame = createNetworkContext(config, env);
  const identity = loadIdentity(config.identity, { files: env.files, unixSeconds: env.clock.unixSeconds, random: env.random });
  const report = (error: unknown) => env.log(`serac: ${textOf(error)}`, error instanceof Fault ? 'warn' : 'error');
  const closing = createCloseStack(report);
  try {
    return await startWriter(config, env, frame, identity, closing, report);
  } catch (error) {
    await closing.close().catch(report);
    throw error;
  }
}

async function startWriter(
  config: Config,
  env: Env,
  frame: NetworkContext,
  identity: ReturnType<typeof loadIdentity>,
  closing: CloseStack,
  report: (error: unknown) => void,
): Promise<Node> {
  const { chain, specs, p, c } = frame;
  const events = createEventBus(report);
  const store = openNodeStore(config, env, frame, 'write', events);
  closing.add(store.close);
  const signers = createSignerCache(env.recoverKey);
  const recovery = createRecovery(signers, env);
  const timers = { ...env.timers, now: env.clock.monotonic, unix: env.clock.unixSeconds };

  const health = createHealth({ now: env.clock.unixNanos, after: env.timers.after, frequency: config.healthCheckFrequency });
  const metrics = nodeMetrics(env, {
    chains: () => chains,
    storeBytes: store.bytes,
    failingChecks: () => Object.values(health.report('health', []).checks).filter(({ error }) => error !== undefined).length,
  });
  events.subscribe(({ chainID, stored }) => metrics.accepted(chainID, stored.block));
  if (env.log.shows('trace')) events.subscribe(({ chainID, stored }) => logAccepted(env, chain.aliases.primary(chainID), stored.block));
  const counting = await openRateLimitBackend(config, env);
  closing.add(counting.close);
  const keys = openKeys(config, env);
  closing.add(keys.close);
  closing.add(recovery.close);
  /** Raised whenever commits begin to fail or succeed again. */
  let commitRevision = 0;
  const deps: WriterDeps = {
    ...chain,
    recover: signers.recover,
    recovery,
    timers,
    minBlockDelay: config.minBlockDelay,
    subnetID: frame.subnetID,
    subnetOf: frame.subnetOf,
    report,
    onCommitState: () => {
      commitRevision++;
      health.refresh();
    },
  };
  const start = async (spec: AvmChainSpec) => {
    const opened = store.chain(spec);
    if (opened.index !== undefined) catchUp(opened.index, env);
    const running =
      config.follow === undefined ? runChain(spec, opened.ledger, deps) : await followChain(config.follow, env, frame, opened, deps);
    closing.add(async () => {
      running.engine.stop();
      await running.follower?.stop();
    });
    const { reads, history } = opened;
    return { ...running, reads, history, services: chainServices(spec, reads, running.issuing, chain) };
  };
  const chains: Awaited<ReturnType<typeof start>>[] = [];
  for (const spec of specs) chains.push(await start(spec));

  let isDiskExhausted = false;
  let onDiskExhausted = (): void => {
    isDiskExhausted = true;
  };
  const probeWrite = storeProbe(chains, store.touch);
  const bootstrapped = watchBootstrap(chains, config.follow === undefined ? [p, c] : [], health);
  registerChecks(health, {
    subnetID: frame.subnetID,
    chains,
    bootstrapped,
    // Of the network of a followed node these are not here at all.
    counterparts: config.follow === undefined ? [p, c] : [],
    isValidator: config.follow === undefined,
    touch: probeWrite,
    fileSystem: () => env.fileSystem(config.dataDir ?? '.'),
    disk: { ...config.disk, onExhausted: () => onDiskExhausted() },
    blsKey: identity.signer.publicKey,
    upgradeTime: config.network.upgrades.graniteTime,
    now: env.clock.unixNanos,
    extraChecks: frame.differences.extraChecks,
  });
  closing.add(health.stop);
  await health.start();
  if (isDiskExhausted && config.store === 'sqlite') throw diskExhausted(config);

  let stopping = false;
  let readers: Readers | undefined;
  // Programs on this machine may use a developer's methods, nobody else; each request is checked too (http/local-caller.ts).
  const hasDev = config.follow === undefined && !config.publicApi && !isPublic(config.network.id) && isLoopback(config.http.host);
  const routes = routesOf({
    chains: [
      ...chains.map(({ spec, services }) => ({
        ...spec,
        maxBody: txMaxBody,
        services: { '': metrics.of(spec.aliases[0], services.avm), '/wallet': services.wallet },
      })),
      ...servedCounterparts(frame, store.atomic, config.follow !== undefined),
    ],
    info: config.apis.info
      ? metrics.of(
          'info',
          infoService(config, env, frame, {
            nodeID: identity.nodeID,
            proofOfPossession: identity.signer.proofOfPossession,
            isBootstrapped: bootstrapped.has,
          }),
        )
      : undefined,
    health: config.apis.health && !config.publicApi ? { services: healthServices(health), deps: health } : undefined,
    metrics: config.apis.metrics ? metricsOf(metrics, async () => (await readers?.families()) ?? []) : undefined,
    dev: hasDev ? devServices(store, frame) : undefined,
  });
  const handlers = createHandlers(config, env, {
    served: servedHere(config, env, frame, chains, identity.nodeID),
    health: {
      components: {
        database: { write: async () => probeWrite(), read: async () => store.look(), revision: () => commitRevision },
        cache: { write: counting.cache.touch, read: counting.cache.look },
      },
      stopping: () => stopping,
      rateLimits: () => counting.limiter?.reduced?.(),
    },
    gate: gateOf(config, env, keys.finder, counting.limiter),
    sealKey: store.secret(),
    epoch: store.epoch,
    stamp: stampOf(chains),
    meters: metrics.api,
    report,
    nodeID: identity.nodeID,
    differences: frame.differences,
    longWork: chain.longWork,
    routes,
  });
  const handler = handlers.main;

  const closeWithServers = closing.addGroup();
  const readerCount = readersWanted(config, env);
  const server = await listen(config, env, withRequestLog(handler, env), readerCount > 0);
  closeWithServers(server.close);
  const others: Server[] = [];
  for (const { port, handler: own } of handlers.own) {
    const other = await env.serve({ ...serveOptions(config), port, handler: withRequestLog(own, env) });
    closeWithServers(other.close);
    others.push(other);
  }
  const relayedPaths = [...routes.keys()];
  const relayHandler = countingHandler(counting.limiter, handler);
  const started = startReaders(readerCount, env, {
    handler: relayHandler,
    start: { nodeID: identity.nodeID, port: server.port, relayedPaths },
    onChange: () => void health.recheck('health', 'readers'),
  });
  readers = started;
  closeWithServers(started.stop);
  if (readerCount > 0 && frame.differences.extraChecks) {
    health.register('health', 'readers', started.check, [applicationTag]);
    await health.recheck('health', 'readers');
  }

  const url = urlOf(config, server.port);
  const apiUrl = (part: 'data' | 'stats', side: Side): string | undefined => {
    if (!config[part].enabled) return undefined;
    const own = handlers.own.findIndex((row) => row.side === side);
    return own < 0 ? url : urlOf(config, others[own]?.port ?? 0);
  };
  const announceStop = async (): Promise<void> => {
    stopping = true;
    health.register('health', 'shuttingDown', shuttingDownCheck, [applicationTag]);
    readers?.tellStopping();
    // Whoever balances loads sees it and sends no more. Peer: node/node.go, shutdown.
    if (config.http.shutdownWait > 0) await pause(env.timers, config.http.shutdownWait);
  };
  let closed: Promise<void> | undefined;
  const [x] = chains;
  const close = (): Promise<void> => {
    closed ??= announceStop().finally(closing.close);
    return closed;
  };
  // A chain in memory needs no disk. AvalancheGo: node/node.go, diskSpaceCheck.
  if (config.store === 'sqlite')
    onDiskExhausted = () => {
      if (closed !== undefined) return;
      env.log(`serac: ${diskExhausted(config).message}; stopping`, 'fatal');
      void close().then(() => env.exit(1));
    };
  return {
    url,
    handler,
    about: () => ({
      version: env.version,
      nodeID: identity.nodeID,
      network: config.network,
      url,
      xBlockchainID: idText(specs[0].id),
      height: x?.reads.height() ?? 0n,
      stateDir: config.store === 'memory' ? undefined : config.dataDir,
      apis: { ...config.apis, health: config.apis.health && !config.publicApi, dev: hasDev },
      data: apiUrl('data', 'data'),
      stats: apiUrl('stats', 'metrics'),
      following: config.follow,
      strict: config.strict,
      funded: config.follow === undefined && x ? fundedKey(x.reads, chain.now(), frame) : undefined,
      chains: specs.slice(1).map(({ id, aliases: [alias] }) => ({ alias, blockchainID: idText(id) })),
      workers: readerCount,
    }),
    close,
  };
}

/** Writes a line for an accepted block. */
const logAccepted = ({ log }: Env, alias: string, { height, id, txs }: Block): void =>
  log(`serac: ${alias}: accepted block ${height}, ${idText(id)}, transactions: ${txs.length}`, 'trace');

/** A directory that was used without an index, or before there was one, gets it now. */
function catchUp(index: SqliteIndex, env: Env): void {
  const progress = progressSince(env.clock.monotonic);
  for (const step of index.catchUp()) env.showProgress(progress(step));
  env.showProgress(undefined);
}

/** A port that may be shared would be shared with a stranger too, another node of the same user: first make sure that nobody has it. */
async function listen(config: Config, env: Env, handler: Handler, shared: boolean): Promise<Server> {
  const alone = await env.serve({ ...serveOptions(config), handler });
  if (!shared) return alone;
  await alone.close();
  return env.serve({ ...serveOptions(config), port: alone.port, handler, reusePort: true });
}

/** Readers cost memory; how many pay is measured in bench/. In memory there is nothing another process could read. */
function readersWanted(config: Config, env: Env): number {
  // Who follows is mostly asked for its own index, and what it asks the followed node must be asked once.
  if (config.store === 'memory' || config.follow !== undefined) return 0;
  return config.workers === 'auto' ? Math.min(env.cores - 1, 1) : config.workers;
}

const healthServices = (health: Health): Services => servicesOf(service('health', healthRows, health));

const devServices = (store: NodeStore, { chain, specs }: NetworkContext): Services =>
  servicesOf(service('dev', dev, { aliases: chain.aliases, putAtomic: (from, utxo) => store.putAtomic(specs[0].id, from, utxo) }));

function fundedKey(reads: AvmReads, now: bigint, { chain, specs }: NetworkContext): BannerInfo['funded'] {
  const balance = balancesOf(reads.balances(knownKey.address), { partial: false, now }).get(specs[0].genesis.assets[0].tx.id);
  return balance === undefined ? undefined : { address: addressesOf(specs[0].id, chain).write(knownKey.address), balance };
}

/** A fault says what it is; anything else is a bug, and its place is what helps to find it. */
const textOf = (error: unknown): string =>
  error instanceof Fault ? error.message : String((error as { stack?: unknown } | null)?.stack ?? error);
