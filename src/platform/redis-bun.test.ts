import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eventually } from '../../test/processes.ts';
import { type PrivateRedis, redisBinary, startRedis } from '../../test/redis.ts';
import { openRedis, type RedisConnection, RedisError } from './redis-bun.ts';

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'answered',
    (cause) => (cause instanceof RedisError ? cause.fault.code : cause),
  );

/** The server is back when a command is answered; 5 s are allowed for that. */
const answers = (redis: RedisConnection) =>
  eventually(
    () => codeOf(redis.send('PING', [])),
    (code) => code === 'answered',
    5_000,
  );

test('a URL that is none is refused, and a password in it is not told', async () => {
  for (const url of ['', 'http://:secret@host', 'redis://:secret@127.0.0.1:99999']) {
    const cause = await openRedis(url).then(
      () => undefined,
      (cause) => cause,
    );
    expect(cause.fault).toEqual({ code: 'REDIS_BAD_URL' });
    expect(cause.message).not.toContain('secret');
  }
});

test('nobody listens: commands are rejected at once, and close ends it', async () => {
  const redis = await openRedis('redis://127.0.0.1:1');
  expect(redis.connected()).toBe(false);
  expect(await codeOf(redis.send('PING', []))).toBe('REDIS_UNREACHABLE');
  expect(await codeOf(redis.getBytes('a'))).toBe('REDIS_UNREACHABLE');
  redis.close();
  redis.close();
});

describe.skipIf(redisBinary === undefined)('with a Redis server of its own', () => {
  const changes: boolean[] = [];
  const limits = { answerLimit: 500, silenceLimit: 500, connectLimit: 500, pause: 20 };
  let server: PrivateRedis;
  let redis: RedisConnection;
  beforeAll(async () => {
    server = (await startRedis()) as PrivateRedis;
    redis = await openRedis(server.url, { ...limits, onChange: (connected) => changes.push(connected) });
  });
  afterAll(async () => {
    redis.close();
    await server.kill();
  });

  test('texts, numbers, lists, nothing, bytes and errors', async () => {
    expect(redis.connected()).toBe(true);
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

  test('killed: what is under way and what comes is rejected; started again: it is found', async () => {
    const underWay = codeOf(redis.send('BLPOP', ['nothing', '5']));
    await server.kill();
    expect(await underWay).toBe('REDIS_UNREACHABLE');
    await eventually(redis.connected, (connected) => !connected);
    expect(await codeOf(redis.send('PING', []))).toBe('REDIS_UNREACHABLE');
    await server.start();
    expect(await answers(redis)).toBe('answered');
    expect(changes).toEqual([true, false, true]);
  });

  test('held still: the first one waits its time, the others do not; and it goes on with the same connection', async () => {
    server.pause();
    expect(await codeOf(redis.send('PING', []))).toBe('REDIS_TOO_SLOW');
    expect(redis.connected()).toBe(false);
    expect(await codeOf(redis.send('PING', []))).toBe('REDIS_UNREACHABLE');
    server.resume();
    expect(await answers(redis)).toBe('answered');
    expect(redis.connected()).toBe(true);
  });

  test('held still for long: the connection is given up, and a new one is made when it is back', async () => {
    const before = changes.length;
    server.pause();
    await codeOf(redis.send('PING', []));
    await eventually(
      () => changes.length,
      (count) => count > before,
    );
    expect(changes.slice(before)).toEqual([false]);
    server.resume();
    expect(await answers(redis)).toBe('answered');
    expect(changes.slice(before)).toEqual([false, true]);
  });

  test('a thousand commands at once while it dies and returns: each is answered or rejected, none is lost', async () => {
    const many = Array.from({ length: 1_000 }, (_, i) => codeOf(redis.send('SET', [`k${i}`, 'v'])));
    await server.kill();
    const outcomes = new Set(await Promise.all(many));
    for (const outcome of outcomes) expect(['answered', 'REDIS_UNREACHABLE', 'REDIS_TOO_SLOW']).toContain(outcome as string);
    await server.start();
    expect(await answers(redis)).toBe('answered');
  });

  test('after close nothing is sent', async () => {
    const other = await openRedis(server.url, limits);
    const underWay = codeOf(other.send('BLPOP', ['nothing', '5']));
    other.close();
    expect(await underWay).toBe('REDIS_UNREACHABLE');
    expect(await codeOf(other.send('PING', []))).toBe('REDIS_UNREACHABLE');
  });
});

test.skipIf(redisBinary === undefined)('a server that comes up later is found', async () => {
  const server = (await startRedis()) as PrivateRedis;
  await server.kill();
  const redis = await openRedis(server.url, { answerLimit: 2_000, pause: 20 });
  expect(redis.connected()).toBe(false);
  await server.start();
  expect(await answers(redis)).toBe('answered');
  redis.close();
  await server.kill();
});

test.skipIf(redisBinary === undefined)('a password is needed and given', async () => {
  const server = (await startRedis(['--requirepass', 'word'])) as PrivateRedis;
  const [stranger, friend] = await Promise.all([openRedis(server.url), openRedis(server.url.replace('//', '//:word@'))]);
  expect(await codeOf(friend.send('PING', []))).toBe('answered');
  expect(['REDIS_REFUSED', 'REDIS_UNREACHABLE']).toContain((await codeOf(stranger.send('PING', []))) as string);
  stranger.close();
  friend.close();
  await server.kill();
});
