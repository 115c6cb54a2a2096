import { notReadBack, type SharedCache } from '../../api/access/shared-cache.ts';
import { equal } from '../../base/bytes/octets.ts';
import type { Redis } from './redis.ts';

/** A cache shared by all processes of one Redis. While Redis is down, `get` finds nothing and `set` stores nothing. */
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
    probeRead: async () => void (await redis.getBytes(`${prefix}touch`)),
    close: async () => redis.close(),
  };
}
