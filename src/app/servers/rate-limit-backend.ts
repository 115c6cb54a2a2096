import { createMemoryLimiter, createOwnLimiter, takeShare } from '../../api/access/limiter-memory.ts';
import type { LimitDecision, Limiter, Limits } from '../../api/access/rate-limit.ts';
import { noSharedCache, type SharedCache } from '../../api/access/shared-cache.ts';
import { createOwnStreamLimit, createStreamLimit, maxStreamsPerClient, type StreamLimit } from '../../api/access/stream-limit.ts';
import type { Handler } from '../../api/http/message.ts';
import { defaultMaxBody } from '../../api/http/router.ts';
import { Fault } from '../../base/fault.ts';
import { createOutageLog } from '../../base/log/log.ts';
import { createRedisCache } from '../../cluster/redis/cache-redis.ts';
import { createLimitSync } from '../../cluster/redis/limit-sync.ts';
import { createRedisLimiter } from '../../cluster/redis/limiter-redis.ts';
import type { Redis } from '../../cluster/redis/redis.ts';
import { createRedisStreamLimit } from '../../cluster/redis/stream-limit-redis.ts';
import type { Config } from '../config/config.ts';
import { describeServer } from '../platform/bun/redis.ts';
import type { DatabaseEnv, Env, ProcessEnv, WorkerEnv } from '../platform/env.ts';
import { type Relay, relayedJson } from '../processes/relay.ts';
import { createWithTimeout } from './api-parts.ts';

/** What processes share: request counts and cached responses, in Redis if `--cache-url` is given. Else the writer process counts requests. */
export type RateLimitBackend = {
  readonly cache: SharedCache;
  /** undefined: there is none. */
  readonly redis: Redis | undefined;
  /** undefined: requests are not limited. */
  readonly limiter: Limiter | undefined;
  /** Returns the limit of event streams that this process shares with others, or of this process alone; undefined: they are not limited. */
  readonly limitStreams: () => StreamLimit | undefined;
  readonly close: () => Promise<void>;
};

export async function openRateLimitBackend(config: Pick<Config, 'cacheUrl' | 'access'>, env: Env): Promise<RateLimitBackend> {
  const local = createMemoryLimiter({ now: env.clock.monotonic });
  if (config.cacheUrl === undefined)
    return {
      cache: noSharedCache,
      redis: undefined,
      limiter: config.access.rateLimits ? createOwnLimiter(local) : undefined,
      limitStreams: () => (config.access.rateLimits ? createOwnStreamLimit(createStreamLimit(maxStreamsPerClient)) : undefined),
      close: noSharedCache.close,
    };
  const redis = await openLoggedRedis(config.cacheUrl, env);
  const cache = createRedisCache({ redis, random: env.random });
  if (!config.access.rateLimits) return { cache, redis, limiter: undefined, limitStreams: () => undefined, close: cache.close };
  const id = Buffer.from(env.random(8)).toString('hex');
  const sync = createLimitSync({ redis, id, countAdmitted: local.countAdmitted, after: env.timers.after });
  await sync.exchange();
  sync.start();
  let stopRenewing = (): void => {};
  const limitStreams = (): StreamLimit => {
    const limit = createRedisStreamLimit({ redis, max: maxStreamsPerClient, sync, id, after: env.timers.after });
    stopRenewing = limit.close;
    return limit;
  };
  const close = async (): Promise<void> => {
    stopRenewing();
    await sync.close();
    await cache.close();
  };
  return { cache, redis, limiter: createRedisLimiter({ redis, local, sync }), limitStreams, close };
}

/** Opens Redis; the writer process logs when it is lost and when it answers again. */
async function openLoggedRedis(url: string, env: DatabaseEnv & ProcessEnv & WorkerEnv): Promise<Redis> {
  if (env.parent !== undefined) return env.openRedis(url);
  let isClosing = false;
  const outage = createOutageLog(env.log, `Redis at ${describeServer(url)}`);
  const redis = await env.openRedis(url, {
    onChange: (isConnected) => {
      if (isConnected) outage.regained();
      else if (!isClosing) outage.lost('the connection was closed');
    },
  });
  if (!redis.isConnected()) outage.lost('cannot connect');
  const close = (): void => {
    // Closing ends the connection too, which is no outage.
    isClosing = true;
    redis.close();
  };
  return { ...redis, close };
}

/** The path on which a reader process asks the writer process for a rate limit decision. Only the relay can reach it, not a socket. */
const takePath = '/internal/take';

type TakeRequest = { readonly client: string; readonly weight: number; readonly limits: Limits };

/**
 * The limiter of a reader process: the writer process decides. While the writer does not answer, each process admits an equal share of every
 * limit, minus what it admitted before. `processes`: the number of processes that serve requests, the writer included.
 */
export function createRelayedLimiter(relay: Relay, { clock, timers }: Pick<Env, 'clock' | 'timers'>, processes: number): Limiter {
  const local = createMemoryLimiter({ now: clock.monotonic });
  const withTimeout = createWithTimeout(timers);
  /** When the writer last did not answer; undefined once it has answered again. */
  let unansweredAt: number | undefined;
  return {
    take: async (client, weight, limits) => {
      const body = Buffer.from(JSON.stringify({ client, weight, limits } satisfies TakeRequest));
      try {
        const relayed = relay({ method: 'POST', path: takePath, query: '', contentType: 'application/json', body });
        const decision = relayedJson(await withTimeout(writerTimeout, relayed)) as LimitDecision;
        unansweredAt = undefined;
        if (decision.admitted) local.countAdmitted(client, weight);
        return decision;
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        unansweredAt = clock.monotonic();
        return takeShare(local, processes, client, weight, limits);
      }
    },
    degradedReason: () =>
      unansweredAt !== undefined && clock.monotonic() - unansweredAt < reportedFor
        ? `the writer process does not answer: each of ${processes} processes admits an equal share of every limit`
        : undefined,
  };
}

/** Milliseconds; far longer than a decision takes unless the writer process hangs. */
const writerTimeout = 1000;

/** Milliseconds that a missing answer is reported: without a further request it is not known whether the writer process answers again. */
const reportedFor = 30_000;

/** The writer process's side: answers rate limit requests of the readers, and passes all other requests to `handler`. */
export const withLimiterEndpoint = (limiter: Limiter | undefined, handler: Handler): Handler =>
  limiter === undefined
    ? handler
    : async (request) => {
        if (request.path !== takePath) return handler(request);
        const { client, weight, limits } = JSON.parse(Buffer.from(await request.body(defaultMaxBody)).toString('utf8')) as TakeRequest;
        return { status: 200, headers: {}, body: JSON.stringify(await limiter.take(client, weight, limits)) };
      };
