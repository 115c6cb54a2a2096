import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { eventually } from '../../test/processes.ts';
import { type PrivateRedis, redisBinary, startRedis } from '../../test/redis.ts';
import { openRedis, type RedisConnection } from '../platform/redis-bun.ts';
import type { Cache } from './cache.ts';
import { createMemoryCache } from './cache-memory.ts';
import { createRedisCache } from './cache-redis.ts';

const plain = (bytes: Uint8Array | undefined) => bytes && [...bytes];

/** One suite for every home of a cache. */
function testCache(name: string, make: () => Cache): void {
  test(`${name}: bytes come back as they went in, under their key`, async () => {
    const cache = make();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 40 }), fc.uint8Array({ maxLength: 300 }), async (key, value) => {
        await cache.set(key, value, 100);
        expect(plain(await cache.get(key))).toEqual([...value]);
        expect(await cache.get(`${key} `)).toBeUndefined();
      }),
      { numRuns: 50 },
    );
  });

  test(`${name}: the last value counts; one that ends at once is not kept`, async () => {
    const cache = make();
    const key = randomUUID();
    await cache.set(key, Uint8Array.of(1), 100);
    await cache.set(key, Uint8Array.of(2), 100);
    expect(plain(await cache.get(key))).toEqual([2]);
    await cache.set(`${key}!`, Uint8Array.of(1), 0);
    expect(await cache.get(`${key}!`)).toBeUndefined();
  });

  test(`${name}: many claim, all hold the same`, async () => {
    const cache = make();
    const key = randomUUID();
    const claims = await Promise.all([1, 2, 3].map((value) => cache.claim(key, Uint8Array.of(value), 100)));
    expect(new Set(claims.map((claim) => claim[0])).size).toBe(1);
    expect(plain(await cache.get(key))).toEqual([...(claims[0] as Uint8Array)]);
  });

  test(`${name}: can be touched and looked at`, async () => {
    const cache = make();
    await Promise.all([cache.touch(), cache.touch()]);
    await cache.look();
  });
}

testCache('memory', () => createMemoryCache({ maxBytes: 1_000_000, now: () => 0 }));

test('memory: what has ended is gone', async () => {
  let now = 0;
  const cache = createMemoryCache({ maxBytes: 10_000, now: () => now });
  await cache.set('a', Uint8Array.of(1), 5);
  now = 4;
  expect(await cache.get('a')).toBeDefined();
  now = 5;
  expect(await cache.get('a')).toBeUndefined();
  expect(plain(await cache.claim('a', Uint8Array.of(2), 5))).toEqual([2]);
});

test('memory: bounded by bytes; what was not asked for longest goes first', async () => {
  const cache = createMemoryCache({ maxBytes: 4_000, now: () => 0 });
  const kilobyte = new Uint8Array(1_000);
  for (const key of ['a', 'b', 'c']) await cache.set(key, kilobyte, 9);
  await cache.get('a');
  await cache.set('d', kilobyte, 9);
  const kept = async () => (await Promise.all(['a', 'b', 'c', 'd'].map(cache.get))).map((value) => value !== undefined);
  expect(await kept()).toEqual([true, false, true, true]);
  await cache.set('a', new Uint8Array(10_000), 9);
  expect(await kept()).toEqual([false, false, true, true]);
  await cache.close();
  expect(await kept()).toEqual([false, false, false, false]);
});

describe.skipIf(process.env.SERAC_TEST_REDIS === undefined)('SERAC_TEST_REDIS', () => {
  const prefix = `serac-test-${randomUUID()}:`;
  let redis: RedisConnection;
  beforeAll(async () => {
    redis = await openRedis(process.env.SERAC_TEST_REDIS as string, { answerLimit: 5_000 });
  });
  afterAll(async () => {
    for (const key of (await redis.send('KEYS', [`${prefix}*`])) as string[]) await redis.send('DEL', [key]);
    redis.close();
  });
  testCache('Redis', () => createRedisCache({ redis, random: (count) => randomBytes(count), prefix }));

  test('Redis: every key ends by itself', async () => {
    const cache = createRedisCache({ redis, random: (count) => randomBytes(count), prefix });
    await cache.set('ends', Uint8Array.of(1), 50);
    await cache.claim('claimed', Uint8Array.of(1), 50);
    await cache.touch();
    for (const key of (await redis.send('KEYS', [`${prefix}*`])) as string[]) {
      const life = (await redis.send('PTTL', [key])) as number;
      expect(life === -2 || (life > 0 && life <= 100_000)).toBe(true);
    }
  });
});

test.skipIf(redisBinary === undefined)(
  'Redis down: nothing is found and nothing hangs, touch and look say so; and it comes back',
  async () => {
    const server = (await startRedis()) as PrivateRedis;
    const redis = await openRedis(server.url, { answerLimit: 2_000, pause: 20 });
    const cache = createRedisCache({ redis, random: (count) => randomBytes(count) });
    await cache.set('a', Uint8Array.of(1), 100);
    expect(plain(await cache.get('a'))).toEqual([1]);
    await server.kill();
    await cache.set('a', Uint8Array.of(2), 100);
    expect(await cache.get('a')).toBeUndefined();
    for (const ask of [cache.touch, cache.look, () => cache.claim('a', Uint8Array.of(1), 100)]) expect(ask()).rejects.toThrow();
    await server.start();
    const back = await eventually(
      () =>
        cache.touch().then(
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
