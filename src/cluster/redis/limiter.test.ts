import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { recordTime } from '../../../test/figure.ts';
import { eventually } from '../../../test/processes.ts';
import { type PrivateRedis, redisBinary, startRedis } from '../../../test/redis.ts';
import { createMemoryLimiter, createOwnLimiter } from '../../api/access/limiter-memory.ts';
import { checkAndCount, type Limiter, newClientState } from '../../api/access/rate-limit.ts';
import { anyLimits, anyStart, anySteps } from '../../api/access/request-steps.fixture.ts';
import { openRedis } from '../../app/platform/bun/redis.ts';
import { createRedisLimiter } from './limiter-redis.ts';
import type { RedisConnection } from './redis.ts';
import { openSharedLimiter, type SharedLimiter } from './shared-limiter.fixture.ts';

const url = process.env.SERAC_TEST_REDIS;

/** The same suite for every limiter; the test controls the clock. */
function testLimiter(name: string, make: (now: () => number) => Limiter, runs: number): void {
  test(`${name}: the numbers equal those of checkAndCount`, async () => {
    await fc.assert(
      fc.asyncProperty(anyStart, anyLimits, anySteps, async (start, limits, steps) => {
        let now = start;
        const limiter = make(() => now);
        const client = randomUUID();
        const state = newClientState();
        for (const { gap, weight } of steps) {
          now += gap;
          expect(await limiter.take(client, weight, limits)).toEqual(checkAndCount(state, now, weight, limits));
        }
      }),
      { numRuns: runs },
    );
  });

  test(`${name}: a clock set back by days resets the client; one set back by a second does not`, async () => {
    let now = 9 * 86_400_000;
    const limiter = make(() => now);
    const client = randomUUID();
    const plan = { perMinute: 2, perDay: 2 };
    await limiter.take(client, 2, plan);
    now -= 1_000;
    expect(await limiter.take(client, 1, plan)).toMatchObject({ admitted: false });
    now = 86_400_000;
    expect(await limiter.take(client, 1, plan)).toMatchObject({ admitted: true, remaining: 1 });
  });

  test(`${name}: clients are counted separately`, async () => {
    const limiter = make(() => 1_000_000);
    const [a, b] = [randomUUID(), randomUUID()];
    const plan = { perMinute: 1, perDay: 5 };
    expect((await limiter.take(a, 1, plan)).admitted).toBe(true);
    expect((await limiter.take(a, 1, plan)).admitted).toBe(false);
    expect((await limiter.take(b, 1, plan)).admitted).toBe(true);
  });
}

testLimiter('memory', (now) => createOwnLimiter(createMemoryLimiter({ now })), 100);

describe.skipIf(url === undefined)('SERAC_TEST_REDIS', () => {
  const prefix = `serac-test-${randomUUID()}:`;
  let redis: RedisConnection;
  let shared: SharedLimiter;
  beforeAll(async () => {
    redis = await openRedis(url as string, { commandTimeout: 5_000 });
    shared = await openSharedLimiter(redis, { prefix });
  });
  afterAll(async () => {
    await shared.sync.close();
    const keys = (await redis.send('KEYS', [`${prefix}*`])) as string[];
    for (let at = 0; at < keys.length; at += 500) await redis.send('DEL', keys.slice(at, at + 500));
    redis.close();
  });

  const local = createMemoryLimiter({ now: () => performance.now() });
  testLimiter('Redis', (now) => createRedisLimiter({ redis, local, sync: shared.sync, prefix, now }), 40);

  test('the clock of Redis is used, and keys expire', async () => {
    const client = randomUUID();
    await shared.take(client, 1, { perMinute: 5, perDay: 5 });
    const [at] = (await redis.send('HMGET', [`${prefix}limit:${client}`, 'at'])) as [string];
    const [seconds] = (await redis.send('TIME', [])) as [string];
    expect(Math.abs(Number(seconds) - Number(at) / 1_000)).toBeLessThan(60);
    const life = (await redis.send('PTTL', [`${prefix}limit:${client}`])) as number;
    expect(life).toBeGreaterThan(86_400_000);
    expect(life).toBeLessThanOrEqual(86_400_000 + 300_000);
  });

  test('concurrent processes admit exactly the limit, and no value of remaining occurs twice', async () => {
    const client = randomUUID();
    const script = new URL('../../../test/rate-limit-load.ts', import.meta.url).pathname;
    const processes = Array.from({ length: 4 }, () =>
      Bun.spawn([process.execPath, script, url as string, prefix, client, '500', '200'], { stdout: 'pipe', stderr: 'inherit' }),
    );
    const reports = await Promise.all(processes.map(async ({ stdout }) => JSON.parse(await new Response(stdout).text())));
    expect(reports.reduce((sum, { admitted }) => sum + admitted, 0)).toBe(500);
    const positive = reports.flatMap(({ left }) => left as number[]).filter((left) => left > 0);
    expect(positive.sort((a, b) => a - b)).toEqual(Array.from({ length: 499 }, (_, i) => i + 1));
  });
});

describe.skipIf(redisBinary === undefined)('with a private Redis server', () => {
  const plan = { perMinute: 50, perDay: 1_000 };
  let server: PrivateRedis;
  const opened: { readonly redis: RedisConnection; readonly limiter: SharedLimiter }[] = [];
  beforeEach(async () => {
    server = (await startRedis()) as PrivateRedis;
  });
  afterEach(async () => {
    for (const { redis, limiter } of opened.splice(0)) {
      await limiter.sync.close();
      redis.close();
    }
    await server.kill();
  });

  /**
   * Opens limiters like `count` processes, each with its own connection, and waits until they know of each other. Commands to a killed server fail
   * at once, so their timeout matters only while the server is paused: a busy machine must not look like that.
   */
  async function open(count: number, { commandTimeout = 30_000, ...rest }: { commandTimeout?: number; incompleteTime?: number } = {}) {
    for (let i = 0; i < count; i++) {
      const redis = await openRedis(server.url, { commandTimeout, hungTimeout: commandTimeout, retryDelay: 20 });
      opened.push({ redis, limiter: await openSharedLimiter(redis, rest) });
    }
    await eventually(() => opened.every(({ limiter }) => limiter.sync.processes() === count), Boolean);
    return opened.map(({ limiter }) => limiter);
  }
  const connected = () => eventually(() => opened.every(({ redis }) => redis.isConnected()), Boolean);
  const isShared = () => opened.every(({ limiter }) => limiter.sync.epoch() !== undefined);
  /** Waits until each process knows what the others admitted: a number for each of them. */
  const untilKnown = (...admittedByOthers: number[]) =>
    eventually(
      () => opened.map(({ limiter }) => limiter.admittedByOthers()),
      (known) => known.every((weight, i) => weight >= (admittedByOthers[i] as number)),
    );
  const admittedOf = async (limiter: Limiter, client: string, times: number, limits = plan): Promise<number> =>
    (await Promise.all(Array.from({ length: times }, () => limiter.take(client, 1, limits)))).filter(({ admitted }) => admitted).length;
  const admittedOfAll = async (client: string, times: number): Promise<number> => {
    const each = await Promise.all(opened.map(({ limiter }) => admittedOf(limiter, client, times)));
    return each.reduce((sum, one) => sum + one, 0);
  };

  test('Redis killed and restarted empty: all processes together never admit more than the limit, and not much less', async () => {
    const [one] = (await open(3)) as [SharedLimiter];
    let admitted = await admittedOf(one, 'a', 20);
    expect(admitted).toBe(20);
    await untilKnown(0, 20, 20);
    await server.kill();
    admitted += await admittedOfAll('a', 100);
    expect(admitted).toBe(50);
    // A new client gets a third of the limit (16 of 50) at each of the three processes.
    expect(await admittedOfAll('b', 100)).toBe(48);
    for (let restarts = 0; restarts < 2; restarts++) {
      await server.start();
      await connected();
      expect([await admittedOfAll('a', 20), await admittedOfAll('b', 20)]).toEqual([0, 0]);
      await eventually(() => opened.every(({ limiter }) => limiter.sync.losses() > restarts), Boolean);
      expect([await admittedOfAll('a', 20), await admittedOfAll('b', 20)]).toEqual([0, 0]);
      await server.kill();
      expect([await admittedOfAll('a', 20), await admittedOfAll('b', 20)]).toEqual([0, 0]);
    }
  });

  test('Redis flushed while it runs: all processes together never admit more than the limit', async () => {
    await open(2);
    expect(await admittedOfAll('a', 10)).toBe(20);
    await untilKnown(10, 10);
    const { redis } = opened[0] as { redis: RedisConnection };
    await redis.send('FLUSHALL', []);
    expect((await admittedOfAll('a', 100)) + 20).toBe(50);
    expect(opened.every(({ limiter }) => limiter.degradedReason?.()?.includes('each of 2 processes'))).toBe(true);
  });

  test('Redis paused: no request waits longer than the timeout, and requests admitted meanwhile are counted after it resumes', async () => {
    const [one] = (await open(2, { commandTimeout: 1_000, incompleteTime: 100 })) as [SharedLimiter];
    expect(await admittedOf(one, 'a', 10)).toBe(10);
    await untilKnown(0, 10);
    server.pause();
    const asked = performance.now();
    expect(await admittedOfAll('a', 100)).toBe(40);
    recordTime('200 requests while Redis is paused', asked, 5000);
    server.resume();
    await untilKnown(20, 30);
    await eventually(isShared, Boolean);
    expect(await admittedOfAll('a', 20)).toBe(0);
  });

  test('Redis back: processes share exact counts again', async () => {
    const [one, other] = (await open(2, { incompleteTime: 500 })) as [SharedLimiter, SharedLimiter];
    expect([one.degradedReason?.(), other.degradedReason?.()]).toEqual([undefined, undefined]);
    await server.kill();
    expect(await admittedOf(one, 'a', 100)).toBe(25);
    expect(one.degradedReason?.()).toContain('each of 2 processes admits an equal share');
    await server.start();
    await connected();
    await eventually(isShared, Boolean);
    expect([one.degradedReason?.(), other.degradedReason?.()]).toEqual([undefined, undefined]);
    expect(await admittedOf(one, 'b', 100)).toBe(50);
    expect(await admittedOf(other, 'b', 100)).toBe(0);
    // What one process admitted locally is in the shared counts.
    expect(await admittedOf(other, 'a', 100)).toBe(25);
  });

  test('the day limit holds although Redis lost its counts', async () => {
    const [one, other] = (await open(2, { incompleteTime: 200 })) as [SharedLimiter, SharedLimiter];
    const daily = { perMinute: 1_000, perDay: 30 };
    expect(await admittedOf(one, 'a', 20, daily)).toBe(20);
    await untilKnown(0, 20);
    await server.kill();
    await server.start();
    await connected();
    await eventually(() => one.sync.losses() > 0 && other.sync.losses() > 0 && isShared(), Boolean);
    expect(await admittedOf(one, 'a', 50, daily)).toBe(10);
    await untilKnown(0, 30);
    expect(await admittedOf(other, 'a', 50, daily)).toBe(0);
  });

  test('Redis never reached: a process admits a quarter of every limit', async () => {
    await server.kill();
    const redis = await openRedis(server.url, { commandTimeout: 500, hungTimeout: 500, connectTimeout: 200, retryDelay: 20 });
    const limiter = await openSharedLimiter(redis);
    opened.push({ redis, limiter });
    expect(await admittedOf(limiter, 'a', 100)).toBe(12);
  });
});
