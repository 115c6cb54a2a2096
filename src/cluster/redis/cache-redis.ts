import { notReadBack, type SharedCache } from '../../api/access/shared-cache.ts';
import { equal } from '../../base/bytes/octets.ts';
import type { Redis } from './redis.ts';

/**
 * The cache of responses that all processes share which use the same Redis; opened by `openRedisBackend`. `get` and `set` are called for requests: while
 * Redis is down, `get` finds nothing and `set` stores nothing. The probes are called by health checks, and reject while Redis is down.
 */
export function createRedisCache({
  redis,
  random,
  prefix = 'serac:',
}: {
  readonly redis: Redis;
  /** Returns `count` random bytes. */
  readonly random: (count: number) => Uint8Array;
  /** Start of every Redis key. */
  readonly prefix?: string;
}): SharedCache {
  const redisKey = (key: string): string => `${prefix}cache:${key}`;

  return {
    get: (key) => redis.getBytes(redisKey(key)).catch(() => undefined),
    set: async (key, value, seconds) => {
      if (seconds <= 0) return;
      await redis.send('SET', [redisKey(key), value, 'PX', String(Math.ceil(seconds * 1_000))]).catch(() => undefined);
    },
    probeWrite: async () => {
      const value = random(8);
      // A new key each time, so that the value of a concurrent probe is not read instead.
      const key = `${prefix}touch:${Buffer.from(value).toString('hex')}`;
      await redis.send('SET', [key, value, 'PX', '10000']);
      const back = await redis.getBytes(key);
      if (back === undefined || !equal(back, value)) throw notReadBack();
    },
    // Nobody writes this key: that Redis answers is enough.
    probeRead: async () => void (await redis.getBytes(`${prefix}touch`)),
    /** Closes the connection, which the limits in Redis use too: `openRedisBackend` closes the cache last. */
    close: async () => redis.close(),
  };
}
