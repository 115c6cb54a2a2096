import { expect, test } from 'bun:test';
import { createMemoryLimiter } from './limiter-memory.ts';

const plan = { perMinute: 2, perDay: 1_000 };

test('a client is dropped when its counts have expired', () => {
  let now = 0;
  const limiter = createMemoryLimiter({ now: () => now });
  for (let i = 0; i < 100; i++) limiter.take(`old ${i}`, 1, plan);
  now = 86_400_000;
  limiter.take('new', 1, plan);
  expect(limiter.clientCount()).toBe(101);
  now = 86_400_000 + 300_000;
  for (let i = 0; i < 50; i++) limiter.take(`newer ${i}`, 1, plan);
  expect(limiter.clientCount()).toBe(51);
});

test('above maxClients only the least recently used client is dropped', () => {
  const limiter = createMemoryLimiter({ now: () => 0, maxClients: 3 });
  for (const client of ['a', 'b', 'c', 'a', 'd']) limiter.take(client, 1, plan);
  expect(limiter.clientCount()).toBe(3);
  expect(limiter.take('a', 1, plan).admitted).toBe(false);
  expect(limiter.take('c', 1, plan).remaining).toBe(0);
  expect(limiter.take('b', 1, plan).remaining).toBe(1);
});

test('a client that sends requests all the time is one entry with correct counts', () => {
  let now = 0;
  const limiter = createMemoryLimiter({ now: () => now });
  for (; now < 172_800_000; now += 997) limiter.take('busy', 1, { perMinute: 1_000, perDay: 1_000_000 });
  expect(limiter.take('busy', 1, { perMinute: 1_000, perDay: 1_000_000 }).remaining).toBeGreaterThan(900);
  expect(limiter.clientCount()).toBe(1);
});
