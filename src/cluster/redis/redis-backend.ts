import type { MemoryLimiter } from '../../api/access/limiter-memory.ts';
import { maxStreamsPerClient, type StreamLimit } from '../../api/access/stream-limit.ts';
import { createOutageLog } from '../../base/log/log.ts';
import type { ClusterEnv } from '../cluster-env.ts';
import { createRedisCache } from './cache-redis.ts';
import { createLimitSync } from './limit-sync.ts';
import { createRedisLimiter } from './limiter-redis.ts';
import { describeServer, type OpenRedis, type Redis } from './redis.ts';
import { createRedisStreamLimit } from './stream-limit-redis.ts';

type RedisEnv = Pick<ClusterEnv, 'timers' | 'random' | 'log'> & { readonly openRedis: OpenRedis };

/**
 * Opens what processes share through Redis: cached responses, counts of requests and of event streams. `local` counts the requests of this process,
 * for the time in which Redis does not answer; undefined: requests are not limited. `logsOutages`: whether this process logs that Redis is lost.
 */
export async function openRedisBackend(
  url: string,
  env: RedisEnv,
  { local, logsOutages }: { readonly local: MemoryLimiter | undefined; readonly logsOutages: boolean },
) {
  const redis = logsOutages ? await openLoggedRedis(url, env) : await env.openRedis(url);
  const cache = createRedisCache({ redis, random: env.random });
  if (local === undefined) return { cache, redis, limiter: undefined, limitStreams: () => undefined, close: cache.close };
  const { after } = env.timers;
  const id = Buffer.from(env.random(8)).toString('hex');
  const sync = createLimitSync({ redis, id, countAdmitted: local.countAdmitted, after });
  await sync.exchange();
  sync.start();
  let stopRenewing = (): void => {};
  return {
    cache,
    redis,
    limiter: createRedisLimiter({ redis, local, sync }),
    limitStreams: (): StreamLimit => {
      const limit = createRedisStreamLimit({ redis, max: maxStreamsPerClient, sync, id, after });
      stopRenewing = limit.close;
      return limit;
    },
    close: async (): Promise<void> => {
      stopRenewing();
      await sync.close();
      await cache.close();
    },
  };
}

/** Opens Redis, and logs when it is lost and when it answers again. */
async function openLoggedRedis(url: string, env: Pick<RedisEnv, 'openRedis' | 'log'>): Promise<Redis> {
  let isClosing = false;
  const outage = createOutageLog(env.log, `Redis at ${describeServer(url)}`);
  const { send, getBytes, isConnected, close } = await env.openRedis(url, {
    onChange: (isAnswering) => {
      if (isAnswering) outage.regained();
      else if (!isClosing) outage.lost('the connection was closed');
    },
  });
  if (!isConnected()) outage.lost('cannot connect');
  return {
    send,
    getBytes,
    close: () => {
      // Closing ends the connection too, which is no outage.
      isClosing = true;
      close();
    },
  };
}
