import { openKeyStore } from '../access/key-store.ts';
import { recordServerPlans } from '../access/server-plans.ts';
import { coalesce } from '../api/coalesce.ts';
import { createIndexRoute } from '../api/index-page.ts';
import type { ChainVersion } from '../api/response-cache.ts';
import type { ServedChains } from '../api/served-chains.ts';
import { createSharedResponseCache } from '../api/shared-response-cache.ts';
import { sha256Hex } from '../bytes/hash.ts';
import { type Id, parseId, zeroId } from '../bytes/id.ts';
import { createOutageLog, logChanges } from '../cli/log.ts';
import type { Config } from '../config.ts';
import { differencesOf } from '../differences.ts';
import { messageOf } from '../fault.ts';
import { type AddressTask, createAddressTask } from '../follow/address-task.ts';
import type { Handler } from '../http/message.ts';
import { createReadyRoute } from '../http/ready-route.ts';
import { indexedChains, isMigrated, probeWritePostgres, readBackfillRevision } from '../index/migrate.ts';
import { runSteps } from '../index/steps.ts';
import type { IndexReads } from '../index-read/index-reads.ts';
import { openExplorerReads } from '../index-read/open-explorer-reads.ts';
import { openReads } from '../index-read/open-reads.ts';
import { exportedOutputSteps } from '../index-write/exported-outputs.ts';
import type { Postgres } from '../platform/postgres-bun.ts';
import { databaseName, withoutPrefix } from '../platform/postgres-fault.ts';
import { sleep } from '../timing/sleep.ts';
import { type CloseStack, createCloseStack } from '../wiring/close-stack.ts';
import type { Env } from '../wiring/env.ts';
import { createNodeLongWork } from '../wiring/network-context.ts';
import { createServedChains, type NetworkDescription } from '../wiring/served-network.ts';
import { isNodeReachable } from '../wiring-chains/follow.ts';
import { createEventsRouteOf } from '../wiring-http/events.ts';
import { createNodeGate, createStoreKeyFinder, loadPlans } from '../wiring-http/gate.ts';
import { createHandlers } from '../wiring-http/handlers.ts';
import { createMetricsRoute, createNodeMetrics } from '../wiring-http/metrics.ts';
import { openRateLimitBackend } from '../wiring-http/rate-limit-backend.ts';
import { withRequestLog } from '../wiring-http/request-log.ts';
import { serveOptions, urlOf } from '../wiring-http/serve-options.ts';
import { createApiIndex } from '../wiring-http/server-index.ts';
import { createApiEventParams, createApiHub } from './api-events.ts';
import { createBackfillRequester } from './backfill-queue.ts';
import { getOrCreatePageSecret, type IndexStatus, readNetworkDescription, readStatus } from './served-network-store.ts';

export type ApiServer = { readonly url: string; readonly close: () => Promise<void> };

/** Serves the Data and Metrics APIs from a history index in PostgreSQL. It has no state of its own: any number of servers may run. */
export async function startApiServer(config: Config, env: Env): Promise<ApiServer> {
  const report = (error: unknown) => env.log(`${error}`, 'error');
  const closing = createCloseStack(report);
  try {
    return await startServing(config, env, closing, report);
  } catch (error) {
    await closing.close().catch(report);
    throw error;
  }
}

async function startServing(config: Config, env: Env, closing: CloseStack, report: (error: unknown) => void): Promise<ApiServer> {
  const sql = env.openPostgres({ url: config.databaseUrl ?? '' });
  closing.add(sql.close);
  const description = await waitForIndex(sql, env);
  const rateLimits = await openRateLimitBackend(config, env);
  closing.add(rateLimits.close);
  const metrics = createNodeMetrics(env, undefined);
  const indexStatus = watchIndexStatus(sql, env, config.databaseUrl ?? '');
  closing.add(indexStatus.stop);
  const served = await createServedChainsFromPostgres(config, env, sql, description, indexStatus.status);
  await recordServerPlans(sql, loadPlans(config, env), config.access.rateLimits);
  const sealKey = await getOrCreatePageSecret(sql, env.random(32));
  let isStopping = false;
  const gate = createNodeGate(config, env, createStoreKeyFinder(await openKeyStore(sql), env), rateLimits.limiter);
  const hub = config.strict ? undefined : await createApiHub(env, sql, served, { logID: sha256Hex(sealKey).slice(0, 12), report });
  const otherRoutes = [
    ...(config.apis.metrics ? [createMetricsRoute(metrics, async () => [])] : []),
    ...(config.strict
      ? []
      : [createApiReadyRoute(env, served, () => isStopping), createIndexRoute(() => createApiIndex(env.version, config))]),
    ...(hub === undefined ? [] : [createEventsRouteOf(hub, { config, gate, context: createApiEventParams(served) })]),
  ];
  const handlers = createHandlers(config, env, {
    served,
    health: {
      components: {
        database: { probeWrite: () => probeWritePostgres(sql), probeRead: async () => void (await served.chains[0].reads.tip()) },
        cache: { probeWrite: rateLimits.cache.probeWrite, probeRead: rateLimits.cache.probeRead },
      },
      isStopping: () => isStopping,
      rateLimitsDegradedReason: () => rateLimits.limiter?.degradedReason?.(),
    },
    gate,
    sealKey,
    // Blocks of a followed chain are final and never reverted.
    epoch: () => 0,
    readChainVersion: createPostgresVersionReader(served, sql),
    observer: metrics.apiObserver,
    ...(config.cacheUrl !== undefined && {
      sharedCache: createSharedResponseCache(rateLimits.cache, cacheNamespace(env, served, sealKey)),
    }),
    report,
    nodeID: '',
    differences: differencesOf(config.strict),
    longWork: createNodeLongWork(env),
    routes: otherRoutes,
    otherPortRoutes: otherRoutes,
  });
  const closeWithServers = closing.addGroup();
  if (hub !== undefined) closeWithServers(hub.close);
  const serve = async (port: number, handler: Handler) => {
    const server = await env.serve({ ...serveOptions(config), port, handler: withRequestLog(handler, env) });
    closeWithServers(server.close);
    return server;
  };
  const { port } = await serve(config.http.port, handlers.main);
  for (const own of handlers.ownPorts) await serve(own.port, own.handler);
  let closed: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    isStopping = true;
    if (config.http.shutdownWait > 0) await sleep(env.timers, config.http.shutdownWait);
    await closing.close();
  };
  return {
    url: urlOf(config, port),
    close: () => {
      closed ??= stop();
      return closed;
    },
  };
}

/** `/ready`: PostgreSQL answers, and the server is not stopping. */
const createApiReadyRoute = (env: Env, { chains }: ServedChains, isStopping: () => boolean) =>
  createReadyRoute(env.version, async () => {
    if (isStopping()) return 'the server is stopping';
    return chains[0].reads.tip().then(
      () => undefined,
      () => 'the database does not answer',
    );
  });

/**
 * The key prefix of cached responses. Servers share responses only if they have the same version, network and database: a local network may
 * start again from block 0 under the same name.
 */
const cacheNamespace = ({ version }: Env, { network: { id, name } }: ServedChains, secret: Uint8Array): string =>
  `${version} ${id} ${name} ${sha256Hex(secret)}`;

/** Milliseconds between two attempts to find an index in the database. */
const retryInterval = 1000;

/** Waits until the database has a history index of this version: `serac index` may be started later than `serac api`. */
async function waitForIndex(sql: Postgres, env: Env): Promise<NetworkDescription> {
  const logChange = logChanges(env.log);
  for (;;) {
    const found = await readNetworkDescription(sql).catch((error: unknown) => (error as { message: string }).message);
    if (typeof found === 'object') {
      if (await isMigrated(sql)) return found;
      logChange('waiting: the database has the index of an earlier version; start serac index of this version, which migrates it');
      await sleep(env.timers, retryInterval);
      continue;
    }
    logChange(`waiting: ${found ?? 'the database has no index yet; start one with: serac index URL --database-url …'}`);
    await sleep(env.timers, retryInterval);
  }
}

async function createServedChainsFromPostgres(
  config: Config,
  env: Env,
  sql: Postgres,
  about: NetworkDescription,
  life: ReadStatus,
): Promise<ServedChains> {
  const numbers = new Map((await indexedChains(sql)).map(({ id, number }) => [id, number]));
  return createServedChains({
    description: about,
    config,
    subnetID: zeroId,
    builder: undefined,
    now: () => Number(env.clock.unixSeconds()),
    chain: (id, alias) => {
      const chain = { number: numbers.get(id) ?? 1, id };
      const reads = openReads(sql, chain);
      return {
        reads,
        explorer: openExplorerReads(sql, { ...chain, hasInbound: false }),
        rpcUrl: `${about.node ?? ''}/ext/bc/${alias}`,
        status: life,
        backfillAddresses: createBackfillThroughIndexer(env, sql, {
          ...chain,
          reads,
          counterparts: about.counterparts.map((one) => parseId(one.id)),
        }),
      };
    },
  });
}

type IndexedPostgresChain = { readonly number: number; readonly id: Id; readonly reads: IndexReads; readonly counterparts: readonly Id[] };

/**
 * Backfills addresses: asks the indexer to fetch from the followed node what blocks do not contain. Skips addresses for which there is
 * nothing to fetch.
 */
function createBackfillThroughIndexer(env: Env, sql: Postgres, { reads, counterparts, ...chain }: IndexedPostgresChain): AddressTask {
  const now = env.clock.monotonic;
  const requestBackfill = createBackfillRequester(sql, { timers: env.timers, now });
  const backfillPreLinearization = createAddressTask(requestBackfill, { concurrency: maxConcurrentRequests });
  const backfillExports = createAddressTask(requestBackfill, {
    concurrency: maxConcurrentRequests,
    validFor: { milliseconds: exportsMaxAge, now },
  });
  const { filterOwners } = exportedOutputSteps(chain, 'postgres');
  return async (addresses) => {
    const [completeFrom, owners] = await Promise.all([reads.completeFrom(), runSteps(sql, filterOwners(addresses, counterparts))]);
    await Promise.all([completeFrom > 0 ? backfillPreLinearization(addresses) : undefined, backfillExports(owners)]);
  };
}

/** Milliseconds for which the state of an address's exported outputs is not fetched again. */
const exportsMaxAge = 1000;
const maxConcurrentRequests = 1024;

type ReadStatus = ServedChains['chains'][0]['status'];

/** Seconds without a status update after which the indexer counts as stopped. */
const indexerTimeout = 10;
/** Milliseconds between two reads of the indexer's status. */
const statusInterval = 2000;

/** Polls the indexer's status: `OK` while it writes the index and the followed node answers. Logs when the database does not answer. */
function watchIndexStatus(sql: Postgres, env: Env, url: string): { readonly status: ReadStatus; readonly stop: () => void } {
  const outage = createOutageLog(env.log, databaseName(url));
  let last: IndexStatus | undefined;
  let cancel = () => {};
  let stopped = false;
  const watch = async (): Promise<void> => {
    try {
      last = await readStatus(sql);
      outage.regained();
    } catch (error) {
      if (!stopped) outage.lost(withoutPrefix(messageOf(error), databaseName(url)));
    }
    if (stopped) return;
    cancel = env.timers.after(statusInterval, () => void watch());
  };
  void watch();
  return {
    status: () =>
      last !== undefined && isNodeReachable(last.state) && Number(env.clock.unixSeconds()) - last.at < indexerTimeout
        ? 'OK'
        : 'UNAVAILABLE',
    stop: () => {
      stopped = true;
      cancel();
    },
  };
}

/** Returns a function that reads the last block of every chain and the backfill revision. Concurrent requests share one read. */
const createPostgresVersionReader = ({ chains }: ServedChains, sql: Postgres): (() => Promise<ChainVersion>) =>
  coalesce(async () => {
    const [backfillRevision, ...tips] = await Promise.all([readBackfillRevision(sql), ...chains.map(({ reads }) => reads.tip())]);
    return { tip: tips.map(({ id }, i) => `${id} ${chains[i]?.status()}`).join(' '), past: `${backfillRevision}` };
  });
