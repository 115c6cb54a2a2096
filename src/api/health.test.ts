import { describe, expect, test } from 'bun:test';
import { Fault } from '../fault.ts';
import { paramContext } from './addresses.ts';
import { bind, createApi } from './dispatch.ts';
import { healthRoutes } from './health.ts';
import { mismatches } from './matches.fixture.ts';
import { asker, errorFlaw, openGate } from './requests.fixture.ts';
import type { Component, HealthDeps } from './served.ts';

const up: Component = { write: async () => {}, read: async () => {} };
const never = new Promise<never>(() => {});

/** The time limit, passed at once: no test waits. */
const within: HealthDeps['within'] = async (milliseconds, work) => {
  const late = { late: true };
  const first = await Promise.race([work, Bun.sleep(0).then(() => late)]);
  if (first === late) throw new Fault(`nothing within ${milliseconds} ms`, { code: 'TOOK_TOO_LONG' });
  return first as Awaited<typeof work>;
};

function health(components: Partial<HealthDeps['components']> = {}, stopping = false, rateLimits = (): string | undefined => undefined) {
  const deps: HealthDeps = { components: { database: up, cache: up, ...components }, stopping: () => stopping, within, rateLimits };
  const reported: unknown[] = [];
  const ask = asker(
    createApi({
      routes: [...bind('data', healthRoutes('v1'), deps), ...bind('metrics', healthRoutes('v2'), deps)],
      gate: openGate,
      context: paramContext('local'),
      sealKey: Buffer.from('key'),
      epoch: () => 0,
      now: () => 1_700_000_000,
      caller: () => '127.0.0.1',
      origin: () => 'http://localhost',
      report: (error) => reported.push(error),
    }),
  );
  return { ask, reported };
}

const paths = ['/v1/health-check', '/v1/live-check', '/v2/health-check', '/v2/live-check'];

describe.each(paths)('%s', (path) => {
  test('all is well', async () => {
    const got = await health().ask(path);
    expect(got.status).toBe(200);
    const all = { database: { status: 'up' }, cache: { status: 'up' } };
    expect(got.json).toEqual({ status: 'ok', info: all, error: {}, details: all });
    expect(got.headers['cache-control']).toBe('no-cache, no-store, must-revalidate');
    const row = [...healthRoutes('v1'), ...healthRoutes('v2')].find((each) => each.path === path);
    expect(row?.open).toBe(true);
    expect(mismatches(row?.response ?? {}, got.json, { strict: true })).toEqual([]);
  });

  test('one part is down: its code is told, not what the driver said', async () => {
    const secret = async () => {
      throw Object.assign(new Error('connect to postgres://user:word@10.0.0.7:5432 failed'), { code: 'ECONNREFUSED' });
    };
    const { ask, reported } = health({ database: { write: secret, read: secret } });
    const got = await ask(path);
    expect(got.status).toBe(503);
    expect(got.json).toEqual({
      statusCode: 503,
      message: 'Not working: database',
      error: 'Service Unavailable',
      status: 'error',
      info: { cache: { status: 'up' } },
      details: { database: { status: 'down', message: 'database does not answer (ECONNREFUSED)' }, cache: { status: 'up' } },
    });
    expect(errorFlaw(got)).toBeUndefined();
    expect(got.headers['cache-control']).toContain('no-store');
    expect(reported).toEqual([]);
  });

  test('a part that hangs is down, and so is one that throws nonsense', async () => {
    const nonsense = { write: () => Promise.reject('x'), read: () => Promise.reject(null) };
    const got = await health({ database: { write: () => never, read: () => never }, cache: nonsense }).ask(path);
    expect(got.status).toBe(503);
    expect(got.json.details).toEqual({
      database: { status: 'down', message: 'database does not answer (TOOK_TOO_LONG)' },
      cache: { status: 'down', message: 'cache does not answer' },
    });
    expect(got.json.info).toEqual({});
  });

  test('a component that throws at once is down too', async () => {
    const thrower = () => {
      throw new Error('at once');
    };
    const got = await health({ cache: { write: thrower, read: thrower } }).ask(path);
    expect(got.json.details.cache).toEqual({ status: 'down', message: 'cache does not answer' });
  });

  test('limits that are not counted together are told, and nothing is unhealthy for it', async () => {
    const got = await health({}, false, () => 'each admits a share').ask(path);
    const all = { database: { status: 'up' }, cache: { status: 'up' }, rateLimits: { status: 'up', message: 'each admits a share' } };
    expect([got.status, got.json]).toEqual([200, { status: 'ok', info: all, error: {}, details: all }]);
  });

  test('while it stops', async () => {
    const got = await health({}, true).ask(path);
    expect(got.status).toBe(503);
    const up = { database: { status: 'up' }, cache: { status: 'up' } };
    expect(got.json).toMatchObject({ status: 'shutting_down', error: 'Service Unavailable', statusCode: 503, info: up, details: up });
    expect(errorFlaw(got)).toBeUndefined();
  });
});

test('the health check writes, the live check only reads', async () => {
  const done: string[] = [];
  const component = (name: string): Component => ({
    write: async () => void done.push(`${name} write`),
    read: async () => void done.push(`${name} read`),
  });
  const { ask } = health({ database: component('database'), cache: component('cache') });
  await ask('/v1/health-check');
  expect(done.splice(0)).toEqual(['database write', 'cache write']);
  await ask('/v1/live-check');
  expect(done).toEqual(['database read', 'cache read']);
});
