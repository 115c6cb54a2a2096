import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { eventually } from '../../../test/processes.ts';
import type { EndStream } from '../../api/access/stream-limit.ts';
import { openRedis } from '../../app/platform/bun/redis.ts';
import type { Redis, RedisConnection } from './redis.ts';
import { createRedisStreamLimit } from './stream-limit-redis.ts';

const url = process.env.SERAC_TEST_REDIS;
const isDefined = (end: EndStream | undefined): boolean => end !== undefined;
const noTimer = () => () => {};
const timer = (milliseconds: number, run: () => void) => {
  const started = setTimeout(run, milliseconds);
  return () => clearTimeout(started);
};

describe.skipIf(url === undefined)('SERAC_TEST_REDIS', () => {
  let redis: RedisConnection;
  beforeAll(async () => {
    redis = await openRedis(url as string, { commandTimeout: 5_000 });
  });
  afterAll(() => redis.close());

  test('processes share the count of a client; an ended stream makes room in another process', async () => {
    const prefix = `test:${randomUUID()}:`;
    const shared = { redis, max: 3, sync: { processes: () => 2 }, after: noTimer, prefix };
    const [a, b] = ['a', 'b'].map((id) => createRedisStreamLimit({ ...shared, id }));
    const first = await a?.take('client');
    expect(first).toBeDefined();
    expect(await b?.take('client')).toBeDefined();
    expect(await a?.take('client')).toBeDefined();
    expect(await b?.take('client')).toBeUndefined();
    expect(await b?.take('other')).toBeDefined();
    first?.();
    await eventually(() => b?.take('client'), isDefined);
  });

  test('streams of a killed process end with their lease; those of a running one are renewed', async () => {
    const prefix = `test:${randomUUID()}:`;
    const shared = { redis, max: 2, sync: { processes: () => 2 }, prefix, lease: 300 };
    const killed = createRedisStreamLimit({ ...shared, id: 'killed', after: noTimer });
    const running = createRedisStreamLimit({ ...shared, id: 'running', after: timer });
    expect(await killed.take('client')).toBeDefined();
    expect(await running.take('client')).toBeDefined();
    expect(await running.take('client')).toBeUndefined();
    await eventually(() => running.take('client'), isDefined);
    expect(await redis.send('ZCARD', [`${prefix}streams:client`])).toBe(2);
    running.close();
  });
});

test('without Redis each process admits its share', async () => {
  const redis = { send: () => Promise.reject(new Error('unreachable')) } as unknown as Redis;
  const limit = createRedisStreamLimit({ redis, max: 4, sync: { processes: () => 2 }, id: 'a', after: noTimer });
  const ends = await Promise.all([1, 2, 3].map(() => limit.take('client')));
  expect(ends.filter((end) => end !== undefined)).toHaveLength(2);
  ends[0]?.();
  expect(await limit.take('client')).toBeDefined();
});
