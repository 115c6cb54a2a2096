import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { eventually } from '../../test/processes.ts';
import { type PrivateRedis, redisBinary, startRedis } from '../../test/redis.ts';
import { openRedis, type Redis } from '../platform/redis-bun.ts';
import type { Limiter } from './limiter.ts';
import { createMemoryLimiter } from './limiter-memory.ts';
import { createRedisLimiter } from './limiter-redis.ts';
import { anyLimits, anyStart, anySteps } from './visits.fixture.ts';
import { judge, newStanding } from './window.ts';

const url = process.env.SERAC_TEST_REDIS;

/** The same suite for every home of the counts; time is what the test says. */
function testLimiter(name: string, make: (now: () => number) => Limiter, runs: number): void {
  test(`${name}: the numbers are those of judge`, async () => {
    await fc.assert(
      fc.asyncProperty(anyStart, anyLimits, anySteps, async (start, limits, steps) => {
        let now = start;
        const limiter = make(() => now);
        const client = randomUUID();
        const standing = newStanding();
        for (const { gap, weight } of steps) {
          now += gap;
          expect(await limiter.take(client, weight, limits)).toEqual(judge(standing, now, weight, limits));
        }
      }),
      { numRuns: runs },
    );
  });

  test(`${name}: a clock that was a day ahead is not believed, one set back a little stands still`, async () => {
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

  test(`${name}: clients do not touch each other`, async () => {
    const limiter = make(() => 1_000_000);
    const [a, b] = [randomUUID(), randomUUID()];
    const plan = { perMinute: 1, perDay: 5 };
    expect((await limiter.take(a, 1, plan)).admitted).toBe(true);
    expect((await limiter.take(a, 1, plan)).admitted).toBe(false);
    expect((await limiter.take(b, 1, plan)).admitted).toBe(true);
  });
}

testLimiter('memory', (now) => createMemoryLimiter({ now }), 100);

describe.skipIf(url === undefined)('SERAC_TEST_REDIS', () => {
  const prefix = `serac-test-${randomUUID()}:`;
  let redis: Redis;
  const local = () => createMemoryLimiter({ now: () => performance.now() });
  beforeAll(async () => {
    redis = await openRedis(url as string, { answerLimit: 5_000 });
  });
  afterAll(async () => {
    const keys = (await redis.send('KEYS', [`${prefix}*`])) as string[];
    for (let at = 0; at < keys.length; at += 500) await redis.send('DEL', keys.slice(at, at + 500));
    redis.close();
  });

  testLimiter('Redis', (now) => createRedisLimiter({ redis, local: local(), prefix, now }), 40);

  test("Redis's own clock is used, and keys expire by themselves", async () => {
    const limiter = createRedisLimiter({ redis, local: local(), prefix });
    const client = randomUUID();
    await limiter.take(client, 1, { perMinute: 5, perDay: 5 });
    const [at] = (await redis.send('HMGET', [`${prefix}limit:${client}`, 'at'])) as [string];
    const [seconds] = (await redis.send('TIME', [])) as [string];
    expect(Math.abs(Number(seconds) - Number(at) / 1_000)).toBeLessThan(60);
    const life = (await redis.send('PTTL', [`${prefix}limit:${client}`])) as number;
    expect(life).toBeGreaterThan(86_400_000);
    expect(life).toBeLessThanOrEqual(86_400_000 + 300_000);
  });

  test('exact over several processes at once: not one too many, not one too few, no number twice', async () => {
    const client = randomUUID();
    const script = new URL('../../test/limit-hammer.ts', import.meta.url).pathname;
    const processes = Array.from({ length: 4 }, () =>
      Bun.spawn([process.execPath, script, url as string, prefix, client, '500', '200'], { stdout: 'pipe', stderr: 'inherit' }),
    );
    const told = await Promise.all(processes.map(async ({ stdout }) => JSON.parse(await new Response(stdout).text())));
    expect(told.reduce((sum, { admitted }) => sum + admitted, 0)).toBe(500);
    const positive = told.flatMap(({ left }) => left as number[]).filter((left) => left > 0);
    expect(positive.sort((a, b) => a - b)).toEqual(Array.from({ length: 499 }, (_, i) => i + 1));
  }, 30_000);
});

describe.skipIf(redisBinary === undefined)('with a Redis server of its own', () => {
  const plan = { perMinute: 20, perDay: 1_000 };
  let server: PrivateRedis;
  let redis: Redis;
  beforeAll(async () => {
    server = (await startRedis()) as PrivateRedis;
    redis = await openRedis(server.url, { answerLimit: 1_000, silenceLimit: 1_000, connectLimit: 1_000, pause: 20 });
  });
  afterAll(async () => {
    redis.close();
    await server.kill();
  });
  const make = () => createRedisLimiter({ redis, local: createMemoryLimiter({ now: () => 0 }) });
  const remaining = async (limiter: Limiter, client: string) => (await limiter.take(client, 1, plan)).remaining;

  test('down: this process goes on counting from what it admitted; back: all count together again', async () => {
    const [one, other] = [make(), make()];
    expect([await remaining(one, 'a'), await remaining(other, 'a'), await remaining(one, 'a')]).toEqual([19, 18, 17]);
    await server.kill();
    expect([await remaining(one, 'a'), await remaining(one, 'a'), await remaining(other, 'a')]).toEqual([17, 16, 18]);
    await server.start();
    // Redis has forgotten all it knew, the script too; each process counts there again.
    await eventually(redis.connected, Boolean, 5_000);
    expect([await remaining(one, 'b'), await remaining(other, 'b')]).toEqual([19, 18]);
  });

  test('held still: nobody waits longer than the limit, and never more is admitted than the plan allows', async () => {
    const limiter = make();
    await remaining(limiter, 'c');
    server.pause();
    const verdicts = await Promise.all(Array.from({ length: 40 }, () => limiter.take('c', 1, plan)));
    expect(verdicts.filter(({ admitted }) => admitted).length).toBe(19);
    server.resume();
    await eventually(redis.connected, Boolean, 5_000);
    expect(await remaining(limiter, 'd')).toBe(19);
  });
});
