import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eventually } from '../../../../test/processes.ts';
import { type PrivateRedis, redisBinary, startRedis } from '../../../../test/redis.ts';
import type { RedisConnection } from '../../../cluster/redis/redis.ts';
import { openRedis, RedisError } from './redis.ts';

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'answered',
    (cause) => (cause instanceof RedisError ? cause.fault.code : cause),
  );

/** Waits up to 5 s until the server answers a command. */
const waitForAnswer = (redis: RedisConnection) =>
  eventually(
    () => codeOf(redis.send('PING', [])),
    (code) => code === 'answered',
    5_000,
  );

test('an invalid URL is rejected, and the error does not contain its password', async () => {
  for (const url of ['', 'http://:secret@host', 'redis://:secret@127.0.0.1:99999']) {
    const cause = await openRedis(url).then(
      () => undefined,
      (cause) => cause,
    );
    expect(cause.fault).toEqual({ code: 'REDIS_BAD_URL' });
    expect(cause.message).not.toContain('secret');
  }
});

test('without a server commands are rejected at once, and close ends the retries', async () => {
  const redis = await openRedis('redis://127.0.0.1:1');
  expect(redis.isConnected()).toBe(false);
  expect(await codeOf(redis.send('PING', []))).toBe('REDIS_UNREACHABLE');
  expect(await codeOf(redis.getBytes('a'))).toBe('REDIS_UNREACHABLE');
  redis.close();
  redis.close();
});

describe.skipIf(redisBinary === undefined)('with a private Redis server', () => {
  const changes: boolean[] = [];
  const timeouts = { commandTimeout: 500, hungTimeout: 500, connectTimeout: 500, retryDelay: 20 };
  let server: PrivateRedis;
  let redis: RedisConnection;
  beforeAll(async () => {
    server = (await startRedis()) as PrivateRedis;
    redis = await openRedis(server.url, { ...timeouts, onChange: (connected) => changes.push(connected) });
  });
  afterAll(async () => {
    redis.close();
    await server.kill();
  });

  test('strings, numbers, lists, null, bytes and errors', async () => {
    expect(redis.isConnected()).toBe(true);
    expect(await redis.send('SET', ['a', 'tür'])).toBe('OK');
    expect(await redis.send('GET', ['a'])).toBe('tür');
    expect(await redis.send('GET', ['b'])).toBeNull();
    expect(await redis.send('EVAL', ["return {1, 'x', false}", '0'])).toEqual([1, 'x', null]);
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    await redis.send('SET', ['c', bytes]);
    expect(new Uint8Array((await redis.getBytes('c'))!)).toEqual(bytes);
    expect(await redis.getBytes('b')).toBeUndefined();
    const refused = (await redis.send('EVALSHA', ['0'.repeat(40), '0']).catch((cause) => cause)) as RedisError;
    expect(refused.message).toStartWith('NOSCRIPT');
    expect(refused.fault).toEqual({ code: 'REDIS_REFUSED', command: 'EVALSHA' });
  });

  test('a killed server: pending and new commands are rejected; after a restart it reconnects', async () => {
    const pending = codeOf(redis.send('BLPOP', ['nothing', '5']));
    await server.kill();
    expect(await pending).toBe('REDIS_UNREACHABLE');
    await eventually(redis.isConnected, (connected) => !connected);
    expect(await codeOf(redis.send('PING', []))).toBe('REDIS_UNREACHABLE');
    await server.start();
    expect(await waitForAnswer(redis)).toBe('answered');
    expect(changes).toEqual([true, false, true]);
  });

  test('a paused server: the first command times out, others are rejected at once; then the same connection is used again', async () => {
    server.pause();
    expect(await codeOf(redis.send('PING', []))).toBe('REDIS_TOO_SLOW');
    expect(redis.isConnected()).toBe(false);
    expect(await codeOf(redis.send('PING', []))).toBe('REDIS_UNREACHABLE');
    server.resume();
    expect(await waitForAnswer(redis)).toBe('answered');
    expect(redis.isConnected()).toBe(true);
  });

  test('a server paused for long: the connection is closed, and a new one is opened when it is back', async () => {
    const before = changes.length;
    server.pause();
    await codeOf(redis.send('PING', []));
    await eventually(
      () => changes.length,
      (count) => count > before,
    );
    expect(changes.slice(before)).toEqual([false]);
    server.resume();
    expect(await waitForAnswer(redis)).toBe('answered');
    expect(changes.slice(before)).toEqual([false, true]);
  });

  test('of a thousand commands during a kill and restart, each is answered or rejected', async () => {
    const many = Array.from({ length: 1_000 }, (_, i) => codeOf(redis.send('SET', [`k${i}`, 'v'])));
    await server.kill();
    const outcomes = new Set(await Promise.all(many));
    for (const outcome of outcomes) expect(['answered', 'REDIS_UNREACHABLE', 'REDIS_TOO_SLOW']).toContain(outcome as string);
    await server.start();
    expect(await waitForAnswer(redis)).toBe('answered');
  });

  test('after close all commands are rejected', async () => {
    const other = await openRedis(server.url, timeouts);
    const pending = codeOf(other.send('BLPOP', ['nothing', '5']));
    other.close();
    expect(await pending).toBe('REDIS_UNREACHABLE');
    expect(await codeOf(other.send('PING', []))).toBe('REDIS_UNREACHABLE');
  });
});

test.skipIf(redisBinary === undefined)('connects to a server that starts later', async () => {
  const server = (await startRedis()) as PrivateRedis;
  await server.kill();
  const redis = await openRedis(server.url, { commandTimeout: 2_000, retryDelay: 20 });
  expect(redis.isConnected()).toBe(false);
  await server.start();
  expect(await waitForAnswer(redis)).toBe('answered');
  redis.close();
  await server.kill();
});

test.skipIf(redisBinary === undefined)('a password in the URL is used', async () => {
  const server = (await startRedis(['--requirepass', 'word'])) as PrivateRedis;
  const [withoutPassword, withPassword] = await Promise.all([openRedis(server.url), openRedis(server.url.replace('//', '//:word@'))]);
  expect(await codeOf(withPassword.send('PING', []))).toBe('answered');
  expect(['REDIS_REFUSED', 'REDIS_UNREACHABLE']).toContain((await codeOf(withoutPassword.send('PING', []))) as string);
  withoutPassword.close();
  withPassword.close();
  await server.kill();
});
