import { keyStoreOn } from '../access/key-store.ts';
import { recordPlans } from '../access/plans-in-use.ts';
import { coalesce } from '../api/coalesce.ts';
import type { ChainVersion } from '../api/response-cache.ts';
import type { Served } from '../api/served.ts';
import { createSharedResponseCache } from '../api/shared-response-cache.ts';
import { sha256Hex } from '../bytes/hash.ts';
import { type Id, parseId, zeroId } from '../bytes/id.ts';
import { logChanges } from '../cli/log.ts';
import type { Config } from '../config.ts';
import { differencesOf } from '../differences.ts';
import { type PerAddress, perAddress } from '../follow/per-address.ts';
import type { Handler } from '../http/message.ts';
import { indexedChains, isMigrated, learnedPostgres, touchPostgres } from '../index/migrate.ts';
import { runSteps } from '../index/steps.ts';
import type { IndexReads } from '../index-read/index-reads.ts';
import { openReads } from '../index-read/open-reads.ts';
import { exportSteps } from '../index-write/exported-outputs.ts';
import type { Postgres } from '../platform/postgres-bun.ts';
import { pause } from '../timing/pause.ts';
import { createWishes } from './backfill-queue.ts';
import { type CloseStack, createCloseStack } from './close-stack.ts';
import type { Env } from './env.ts';
import { isReached } from './follow.ts';
import { finderOf, gateOf, plansIn } from './gate.ts';
import { createHandlers } from './handlers.ts';
import { metricsOf, nodeMetrics } from './metrics.ts';
import { longWorkOf } from './network-context.ts';
import { openRateLimitBackend } from './rate-limit-backend.ts';
import { withRequestLog } from './request-log.ts';
import { serveOptions, urlOf } from './serve-options.ts';
import { type NetworkDescription, servedFrom } from './served-network.ts';
import { type IndexStatus, readAbout, readStatus, sharedSecret } from './served-network-store.ts';

export type ApiServer = { readonly url: string; readonly close: () => Promise<void> };

/** Serves the Data and Metrics interfaces from an index in PostgreSQL. It keeps nothing: any number of these may run. */
export async function startApiServer(config: Config, env: Env): Promise<ApiServer> {
  const report = (error: unknown) => env.log(`serac: ${error}`, 'error');
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
  const about = await waitForIndex(sql, env);
  const counting = await openRateLimitBackend(config, env);
  closing.add(counting.close);
  const metrics = nodeMetrics(env, undefined);
  const life = watchLife(sql, env);
  closing.add(life.stop);
  const served = await servedOf(config, env, sql, about, life.status);
  await recordPlans(sql, plansIn(config, env), config.access.rateLimits);
  const sealKey = await sharedSecret(sql, env.random(32));
  let stopping = false;
  const ownMetrics = config.apis.metrics ? [metricsOf(metrics, async () => [])] : [];
  const handlers = createHandlers(config, env, {
    served,
    health: {
      components: {
        database: { write: () => touchPostgres(sql), read: async () => void (await served.chains[0].reads.tip()) },
        cache: { write: counting.cache.touch, read: counting.cache.look },
      },
      stopping: () => stopping,
      rateLimits: () => counting.limiter?.reduced?.(),
    },
    gate: gateOf(config, env, finderOf(await keyStoreOn(sql), env), counting.limiter),
    sealKey,
    // A followed chain is final: its blocks are never reverted.
    epoch: () => 0,
    stamp: sharedStamp(served, sql),
    meters: metrics.api,
    ...(config.cacheUrl !== undefined && { shared: createSharedResponseCache(counting.cache, programOf(env, served, sealKey)) }),
    report,
    nodeID: '',
    differences: differencesOf(config.strict),
    longWork: longWorkOf(env),
    routes: ownMetrics,
    everywhere: ownMetrics,
  });
  const closeWithServers = closing.addGroup();
  const serve = async (port: number, handler: Handler) => {
    const server = await env.serve({ ...serveOptions(config), port, handler: withRequestLog(handler, env) });
    closeWithServers(server.close);
    return server;
  };
  const { port } = await serve(config.http.port, handlers.main);
  for (const own of handlers.own) await serve(own.port, own.handler);
  let closed: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    stopping = true;
    if (config.http.shutdownWait > 0) await pause(env.timers, config.http.shutdownWait);
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

/** Servers share answers only if they have the same version, network name and database: a local network may start again from block 0. */
const programOf = ({ version }: Env, { network: { id, name } }: Served, secret: Uint8Array): string =>
  `${version} ${id} ${name} ${sha256Hex(secret)}`;

/** Milliseconds between two looks at a database that is not there or has no index yet. */
const patience = 1000;

/** The one that indexes may be started later than those that serve. */
async function waitForIndex(sql: Postgres, env: Env): Promise<NetworkDescription> {
  const say = logChanges(env.log);
  for (;;) {
    const found = await readAbout(sql).catch((error: unknown) => (error as { message: string }).message);
    if (typeof found === 'object') {
      if (await isMigrated(sql)) return found;
      say('waiting: the database has the index of an earlier version; start serac index of this version, which migrates it');
      await pause(env.timers, patience);
      continue;
    }
    say(`waiting: ${found ?? 'the database has no index yet; start one with: serac index URL --database-url …'}`);
    await pause(env.timers, patience);
  }
}

async function servedOf(config: Config, env: Env, sql: Postgres, about: NetworkDescription, life: Life): Promise<Served> {
  const numbers = new Map((await indexedChains(sql)).map(({ id, number }) => [id, number]));
  return servedFrom({
    about,
    config,
    subnetID: zeroId,
    builder: undefined,
    now: () => Number(env.clock.unixSeconds()),
    chain: (id, alias) => {
      const chain = { number: numbers.get(id) ?? 1, id };
      const reads = openReads(sql, chain);
      return {
        reads,
        rpcUrl: `${about.node ?? ''}/ext/bc/${alias}`,
        status: life,
        complete: completeThroughIndexer(env, sql, { ...chain, reads, counterparts: about.counterparts.map((one) => parseId(one.id)) }),
      };
    },
  });
}

type Indexed = { readonly number: number; readonly id: Id; readonly reads: IndexReads; readonly counterparts: readonly Id[] };

/** What only the followed node knows is fetched by the process that indexes, where there is something to fetch. */
function completeThroughIndexer(env: Env, sql: Postgres, { reads, counterparts, ...chain }: Indexed): PerAddress {
  const now = env.clock.monotonic;
  const wish = createWishes(sql, { timers: env.timers, now });
  const older = perAddress(wish, { atOnce: wishesAtOnce });
  const taken = perAddress(wish, { atOnce: wishesAtOnce, holds: { milliseconds: believed, now } });
  const { holders } = exportSteps(chain, 'postgres');
  return async (addresses) => {
    const [from, open] = await Promise.all([reads.completeFrom(), runSteps(sql, holders(addresses, counterparts))]);
    await Promise.all([from > 0 ? older(addresses) : undefined, taken(open)]);
  };
}

/** Milliseconds for which it is not asked again what became of an address's exports. */
const believed = 1000;
const wishesAtOnce = 1024;

type Life = Served['chains'][0]['status'];

/** Seconds after which a process that indexes and gives no sign of life is gone, and milliseconds between two looks. */
const silence = 10;
const look = 2000;

/** Whether the index is being written and its node answers. */
function watchLife(sql: Postgres, env: Env): { readonly status: Life; readonly stop: () => void } {
  let last: IndexStatus | undefined;
  let cancel = () => {};
  let stopped = false;
  const watch = async (): Promise<void> => {
    last = await readStatus(sql).catch(() => last);
    if (stopped) return;
    cancel = env.timers.after(look, () => void watch());
  };
  void watch();
  return {
    status: () =>
      last !== undefined && isReached(last.state) && Number(env.clock.unixSeconds()) - last.at < silence ? 'OK' : 'UNAVAILABLE',
    stop: () => {
      stopped = true;
      cancel();
    },
  };
}

/** The last block of every chain and how often their past has changed, asked once for all requests that wait. */
const sharedStamp = ({ chains }: Served, sql: Postgres): (() => Promise<ChainVersion>) =>
  coalesce(async () => {
    const [learned, ...tips] = await Promise.all([learnedPostgres(sql), ...chains.map(({ reads }) => reads.tip())]);
    return { tip: tips.map(({ id }, i) => `${id} ${chains[i]?.status()}`).join(' '), past: `${learned}` };
  });
