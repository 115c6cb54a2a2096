import { createMemoryLimiter } from '../../api/access/limiter-memory.ts';
import { maxStreamsPerClient, type StreamLimit } from '../../api/access/stream-limit.ts';
import { createOutageLog } from '../../base/log/log.ts';
import { createRedisCache } from '../../cluster/redis/cache-redis.ts';
import { createLimitSync } from '../../cluster/redis/limit-sync.ts';
import { createRedisLimiter } from '../../cluster/redis/limiter-redis.ts';
import type { Redis } from '../../cluster/redis/redis.ts';
import { createRedisStreamLimit } from '../../cluster/redis/stream-limit-redis.ts';
import { describeServer } from '../platform/bun/redis.ts';
import type { DatabaseEnv, Env, ProcessEnv, WorkerEnv } from '../platform/env.ts';
import type { RateLimitBackend } from './rate-limit-backend.ts';

/** Request counts and cached responses in Redis, for servers that share them. Loaded by rate-limit-backend.ts where `--cache-url` is given. */
export async function openRedisBackend(url: string, rateLimits: boolean, env: Env): Promise<RateLimitBackend> {
  const local = createMemoryLimiter({ now: env.clock.monotonic });
  const redis = await openLoggedRedis(url, env);
  const cache = createRedisCache({ redis, random: env.random });
  if (!rateLimits) return { cache, redis, limiter: undefined, limitStreams: () => undefined, close: cache.close };
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
