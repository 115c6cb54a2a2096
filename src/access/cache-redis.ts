import { equal } from '../bytes/octets.ts';
import { type Cache, notReadBack } from './cache.ts';
import type { Redis } from './redis.ts';

export type RedisCacheOptions = {
  readonly redis: Redis;
  /** Random bytes, so many. */
  readonly random: (count: number) => Uint8Array;
  /** Begins every key. */
  readonly prefix?: string;
};

/** Shared by all processes of one Redis. What was kept can be lost at any time, so while Redis is down nothing is kept and nothing found. */
export function createRedisCache({ redis, random, prefix = 'serac:' }: RedisCacheOptions): Cache {
  const named = (key: string): string => `${prefix}cache:${key}`;

  return {
    get: (key) => redis.getBytes(named(key)).catch(() => undefined),
    set: async (key, value, seconds) => {
      if (seconds <= 0) return;
      await redis.send('SET', [named(key), value, 'PX', String(Math.ceil(seconds * 1_000))]).catch(() => undefined);
    },
    claim: async (key, value, seconds) => {
      await redis.send('SET', [named(key), value, 'NX', 'PX', String(Math.ceil(seconds * 1_000))]);
      return (await redis.getBytes(named(key))) ?? value;
    },
    touch: async () => {
      const value = random(8);
      // A key of its own each time: whoever touches at the same moment must not be read instead.
      const key = `${prefix}touch:${Buffer.from(value).toString('hex')}`;
      await redis.send('SET', [key, value, 'PX', '10000']);
      const back = await redis.getBytes(key);
      if (back === undefined || !equal(back, value)) throw notReadBack();
    },
    look: async () => void (await redis.getBytes(`${prefix}touch`)),
    close: async () => redis.close(),
  };
}
