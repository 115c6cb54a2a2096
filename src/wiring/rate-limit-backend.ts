import type { Cache } from '../access/cache.ts';
import { createMemoryCache } from '../access/cache-memory.ts';
import { createRedisCache } from '../access/cache-redis.ts';
import { createLimitSync } from '../access/limit-sync.ts';
import type { Limiter } from '../access/limiter.ts';
import { createMemoryLimiter, takeShare } from '../access/limiter-memory.ts';
import { createRedisLimiter } from '../access/limiter-redis.ts';
import type { Limits, Verdict } from '../access/window.ts';
import type { Config } from '../config.ts';
import { Fault } from '../fault.ts';
import type { Handler } from '../http/message.ts';
import { usualMaxBody } from '../http/router.ts';
import type { Relay } from '../workers/relay.ts';
import { timeLimit } from './api-parts.ts';
import type { Env } from './env.ts';

/** What processes share: counts of requests and kept answers. In Redis if there is one, else in the memory of the process that writes. */
export type RateLimitBackend = {
  readonly cache: Cache;
  /** undefined: nothing is counted. */
  readonly limiter: Limiter | undefined;
  readonly close: () => Promise<void>;
};

const cacheBytes = 16 * 1024 * 1024;

export async function openRateLimitBackend(config: Pick<Config, 'cacheUrl' | 'access'>, env: Env): Promise<RateLimitBackend> {
  const local = createMemoryLimiter({ now: env.clock.monotonic });
  if (config.cacheUrl === undefined) {
    const cache = createMemoryCache({ maxBytes: cacheBytes, now: () => env.clock.monotonic() / 1000 });
    return { cache, limiter: config.access.rateLimits ? local : undefined, close: cache.close };
  }
  const redis = await env.openRedis(config.cacheUrl);
  const cache = createRedisCache({ redis, random: env.random });
  if (!config.access.rateLimits) return { cache, limiter: undefined, close: cache.close };
  const id = Buffer.from(env.random(8)).toString('hex');
  const sync = createLimitSync({ redis, id, note: local.note, after: env.timers.after });
  await sync.exchange();
  sync.start();
  const close = async (): Promise<void> => {
    await sync.close();
    await cache.close();
  };
  return { cache, limiter: createRedisLimiter({ redis, local, sync }), close };
}

/** Processes that only read count with the one that writes: asked over the relay, on a path that no socket leads to. */
const takePath = '/internal/take';

type Take = { readonly client: string; readonly weight: number; readonly limits: Limits };

/**
 * While the process that writes does not answer, each admits its share of the limits; it has seen what it admitted before. `processes`: how
 * many take requests, the one that writes included.
 */
export function relayedLimiter(relay: Relay, { clock, timers }: Pick<Env, 'clock' | 'timers'>, processes: number): Limiter {
  const local = createMemoryLimiter({ now: clock.monotonic });
  const within = timeLimit(timers);
  let isAlone = false;
  return {
    take: async (client, weight, limits) => {
      const body = Buffer.from(JSON.stringify({ client, weight, limits } satisfies Take));
      try {
        const asked = relay({ method: 'POST', path: takePath, query: '', contentType: 'application/json', body });
        const answer = await within(answerLimit, asked);
        const verdict = JSON.parse(Buffer.from(answer.body as string).toString('utf8')) as Verdict;
        isAlone = false;
        if (verdict.admitted) local.note(client, weight);
        return verdict;
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        isAlone = true;
        return takeShare(local, processes, client, weight, limits);
      }
    },
    reduced: () =>
      isAlone ? `the writing process does not answer: each of ${processes} processes admits an equal share of every limit` : undefined,
  };
}

/** Milliseconds; far more than it ever takes unless the other process is stuck. */
const answerLimit = 1000;

/** The writer's end of it, before what sockets are answered by. */
export const countingHandler = (limiter: Limiter | undefined, handler: Handler): Handler =>
  limiter === undefined
    ? handler
    : async (request) => {
        if (request.path !== takePath) return handler(request);
        const { client, weight, limits } = JSON.parse(Buffer.from(await request.body(usualMaxBody)).toString('utf8')) as Take;
        return { status: 200, headers: {}, body: JSON.stringify(await limiter.take(client, weight, limits)) };
      };
