import { createMemoryLimiter, createOwnLimiter, takeShare } from '../../api/access/limiter-memory.ts';
import type { LimitDecision, Limiter, Limits } from '../../api/access/rate-limit.ts';
import { noSharedCache, type SharedCache } from '../../api/access/shared-cache.ts';
import { createOwnStreamLimit, createStreamLimit, maxStreamsPerClient, type StreamLimit } from '../../api/access/stream-limit.ts';
import type { Handler } from '../../api/http/message.ts';
import { defaultMaxBody } from '../../api/http/router.ts';
import { Fault } from '../../base/fault.ts';
import type { Redis } from '../../cluster/redis/redis.ts';
import type { Config } from '../config/config.ts';
import type { Env } from '../platform/env.ts';
import { type Relay, relayedJson } from '../processes/relay.ts';
import { createWithTimeout } from './timeout.ts';

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
  const local = config.access.rateLimits ? createMemoryLimiter({ now: env.clock.monotonic }) : undefined;
  if (config.cacheUrl !== undefined) {
    const { openRedisBackend } = await import('../../cluster/redis/redis-backend.ts');
    // The writer process logs that Redis is lost, its readers do not.
    return openRedisBackend(config.cacheUrl, env, { local, logsOutages: env.parent === undefined });
  }
  return {
    cache: noSharedCache,
    redis: undefined,
    limiter: local && createOwnLimiter(local),
    limitStreams: () => local && createOwnStreamLimit(createStreamLimit(maxStreamsPerClient)),
    close: noSharedCache.close,
  };
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
