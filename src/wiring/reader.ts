import { idText } from '../bytes/id.ts';
import type { Config } from '../config.ts';
import { routesOf, txMaxBody } from '../http/node-routes.ts';
import { hungAfter, watchSilence } from '../workers/heartbeat.ts';
import type { FromReader, ToReader } from '../workers/messages.ts';
import { createRelay } from '../workers/relay.ts';
import { notHere, relayedComponents, relayedRoute, relayedServices, relayedStatus } from '../workers/relayed-services.ts';
import { servedHere, sharedSide, stampOf } from './api-parts.ts';
import { type AvmChainSpec, chainServices } from './avm-chain.ts';
import { servedCounterparts } from './counterparts.ts';
import type { Env } from './env.ts';
import { gateOf, openKeys } from './gate.ts';
import { createHandlers } from './handlers.ts';
import { infoService } from './info-service.ts';
import { nodeMetrics } from './metrics.ts';
import { createNetworkContext, type NetworkContext } from './network-context.ts';
import { type NodeStore, type OpenedChain, openNodeStore } from './node-store.ts';
import { openRateLimitBackend, relayedLimiter } from './rate-limit-backend.ts';
import { withRequestLog } from './request-log.ts';
import { serveOptions } from './serve-options.ts';

/** Milliseconds of silence after which a hung writer is ended: nothing else could end it, and its supervisor starts the node again. */
const endedAfter = 15_000;

/**
 * A process that only reads: it shares the port, answers from the last committed block, and asks the writing process for the rest.
 * Every call reads anew, so whoever saw a transaction accepted sees it here too.
 */
export function startReader(config: Config, env: Env, parent: NonNullable<Env['parent']>): void {
  let isHung = false;
  const relay = createRelay(parent, env.timers);
  const report = (error: unknown) => env.log(`serac: reader: ${error}`, 'error');

  let stopping = false;
  let isServing = false;
  const pong = (): void => parent.send({ reader: 'pong', isServing } satisfies FromReader);

  const start = async ({ nodeID, port, relayedPaths }: Extract<ToReader, { reader: 'start' }>) => {
    const frame = createNetworkContext(config, env);
    const store = openNodeStore(config, env, frame, 'read');
    const metrics = nodeMetrics(env, undefined);
    const counting = await openRateLimitBackend(config, env);
    const keys = openKeys(config, env);
    const processes = config.workers === 'auto' ? 2 : config.workers + 1;
    const limiter =
      counting.limiter !== undefined && config.cacheUrl === undefined ? relayedLimiter(relay, env, processes) : counting.limiter;
    const chains = frame.specs.map((spec) => ({ spec, ...store.chain(spec) }));
    const own = readingRoutes(config, env, frame, chains, store.atomic, metrics, nodeID, relay);
    const { main } = createHandlers(config, env, {
      served: servedHere(config, env, frame, chains, nodeID),
      health: {
        components: relayedComponents(relay, config.data.enabled && sharedSide(config) !== 'metrics' ? 'v1' : 'v2'),
        stopping: () => stopping,
        rateLimits: () => limiter?.reduced?.(),
      },
      gate: gateOf(config, env, keys.finder, limiter),
      sealKey: store.secret(),
      epoch: store.epoch,
      stamp: stampOf(chains),
      meters: metrics.api,
      report,
      nodeID,
      differences: frame.differences,
      longWork: frame.chain.longWork,
      routes: [...relayedPaths.map((path) => [path, relayedRoute(relay, path)] as const), ...own],
    });
    const handler = withRequestLog(main, env);
    const server = await env.serve({ ...serveOptions(config), port, handler, reusePort: true });
    const close = async () => {
      await server.close();
      keys.close();
      await counting.close();
      store.close();
    };
    isServing = true;
    pong();
    return { families: metrics.families, close };
  };

  const silence = watchSilence(env.timers, (silent) => {
    if (silent < hungAfter) return;
    if (!isHung) env.log(`serac: the writing process has not answered for ${silent / 1000} s; calls that need it get status 503`, 'error');
    isHung = true;
    relay.setHung(true);
    if (silent !== endedAfter) return;
    env.log(`serac: the writing process has not answered for ${silent / 1000} s and is ended`, 'fatal');
    parent.kill();
  });

  let running: ReturnType<typeof start> | undefined;
  const stop = async () => {
    await (await running)?.close();
    env.exit(0);
  };
  parent.onClose(() => void stop());
  parent.onMessage(async (message) => {
    silence.heard();
    if (isHung) relay.setHung(false);
    isHung = false;
    const told = message as ToReader;
    if (told.reader === 'ping') pong();
    if (told.reader === 'start') running = start(told);
    if (told.reader === 'stopping') stopping = true;
    if (told.reader === 'stop') await stop();
    if (told.reader === 'count')
      parent.send({ reader: 'counted', id: told.id, families: (await running)?.families() ?? [] } satisfies FromReader);
  });
}

function readingRoutes(
  config: Config,
  env: Env,
  frame: NetworkContext,
  opened: readonly (OpenedChain & { readonly spec: AvmChainSpec })[],
  atomic: NodeStore['atomic'],
  metrics: ReturnType<typeof nodeMetrics>,
  nodeID: string,
  relay: ReturnType<typeof createRelay>,
) {
  const { chain } = frame;
  const chains = opened.map(({ spec, reads }) => {
    const path = `/ext/bc/${idText(spec.id)}`;
    const ask = relayedStatus(path, relay);
    const services = chainServices(
      spec,
      reads,
      { issue: notHere, issueInTurn: notHere, status: (id) => (reads.hasTx(id) ? 'Accepted' : ask(id)) },
      chain,
    );
    return {
      ...spec,
      maxBody: txMaxBody,
      services: {
        '': relayedServices(metrics.of(spec.aliases[0], services.avm), path, relay),
        '/wallet': relayedServices(services.wallet, `${path}/wallet`, relay),
      },
    };
  });
  const info = infoService(config, env, frame, { nodeID, proofOfPossession: notHere, isBootstrapped: () => true });
  return routesOf({
    chains: [...chains, ...servedCounterparts(frame, atomic, config.follow !== undefined)],
    info: config.apis.info ? relayedServices(metrics.of('info', info), '/ext/info', relay) : undefined,
    health: undefined,
    metrics: undefined,
    dev: undefined,
  });
}
