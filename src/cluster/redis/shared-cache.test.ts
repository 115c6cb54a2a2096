import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { eventually } from '../../../test/processes.ts';
import { type PrivateRedis, redisBinary, startRedis } from '../../../test/redis.ts';
import { openRedis } from '../../app/platform/bun/redis.ts';
import { createRedisCache } from './cache-redis.ts';
import type { RedisConnection } from './redis.ts';

const toArray = (bytes: Uint8Array | undefined) => bytes && [...bytes];

describe.skipIf(process.env.SERAC_TEST_REDIS === undefined)('SERAC_TEST_REDIS', () => {
  const prefix = `serac-test-${randomUUID()}:`;
  let redis: RedisConnection;
  beforeAll(async () => {
    redis = await openRedis(process.env.SERAC_TEST_REDIS as string, { commandTimeout: 5_000 });
  });
  afterAll(async () => {
    for (const key of (await redis.send('KEYS', [`${prefix}*`])) as string[]) await redis.send('DEL', [key]);
    redis.close();
  });
  const make = () => createRedisCache({ redis, random: (count) => randomBytes(count), prefix });

  test('get returns the bytes that were set under the key', async () => {
    const cache = make();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 40 }), fc.uint8Array({ maxLength: 300 }), async (key, value) => {
        await cache.set(key, value, 100);
        expect(toArray(await cache.get(key))).toEqual([...value]);
        expect(await cache.get(`${key} `)).toBeUndefined();
      }),
      { numRuns: 50 },
    );
  });

  test('the last value wins; a value with an expiry of 0 is not stored', async () => {
    const cache = make();
    const key = randomUUID();
    await cache.set(key, Uint8Array.of(1), 100);
    await cache.set(key, Uint8Array.of(2), 100);
    expect(toArray(await cache.get(key))).toEqual([2]);
    await cache.set(`${key}!`, Uint8Array.of(1), 0);
    expect(await cache.get(`${key}!`)).toBeUndefined();
  });

  test('probeWrite and probeRead succeed', async () => {
    const cache = make();
    await Promise.all([cache.probeWrite(), cache.probeWrite()]);
    await cache.probeRead();
  });

  test('Redis: every key expires', async () => {
    const cache = createRedisCache({ redis, random: (count) => randomBytes(count), prefix });
    await cache.set('ends', Uint8Array.of(1), 50);
    await cache.probeWrite();
    for (const key of (await redis.send('KEYS', [`${prefix}*`])) as string[]) {
      const life = (await redis.send('PTTL', [key])) as number;
      expect(life === -2 || (life > 0 && life <= 100_000)).toBe(true);
    }
  });
});

test.skipIf(redisBinary === undefined)(
  'Redis down: get returns undefined, nothing hangs, the probes reject; it recovers when Redis is back',
  async () => {
    const server = (await startRedis()) as PrivateRedis;
    const redis = await openRedis(server.url, { commandTimeout: 2_000, retryDelay: 20 });
    const cache = createRedisCache({ redis, random: (count) => randomBytes(count) });
    await cache.set('a', Uint8Array.of(1), 100);
    expect(toArray(await cache.get('a'))).toEqual([1]);
    await server.kill();
    await cache.set('a', Uint8Array.of(2), 100);
    expect(await cache.get('a')).toBeUndefined();
    for (const call of [cache.probeWrite, cache.probeRead]) expect(call()).rejects.toThrow();
    await server.start();
    const back = await eventually(
      () =>
        cache.probeWrite().then(
          () => true,
          () => false,
        ),
      Boolean,
      5_000,
    );
    expect(back).toBe(true);
    await cache.close();
    await server.kill();
  },
);
