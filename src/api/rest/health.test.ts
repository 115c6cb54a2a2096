import { describe, expect, test } from 'bun:test';
import { Fault } from '../../base/fault.ts';
import { findMismatches } from '../contract/schema-mismatches.fixture.ts';
import { createApi } from './dispatch.ts';
import { apiHealthRoutes } from './health.ts';
import { createSender, findErrorProblem, testApiOptions } from './requests.fixture.ts';
import { bindRoutes } from './route.ts';
import type { ApiHealthDeps, HealthComponent } from './served-chains.ts';

const up: HealthComponent = { probeWrite: async () => {}, probeRead: async () => {} };
const never = new Promise<never>(() => {});

/** A timeout that fires at once, so that no test waits. */
const withTimeout: ApiHealthDeps['withTimeout'] = async (milliseconds, work) => {
  const timedOut = { timedOut: true };
  const first = await Promise.race([work, Bun.sleep(0).then(() => timedOut)]);
  if (first === timedOut) throw new Fault(`no answer within ${milliseconds} ms`, { code: 'TOOK_TOO_LONG' });
  return first as Awaited<typeof work>;
};

function health(
  components: Partial<ApiHealthDeps['components']> = {},
  stopping = false,
  rateLimits = (): string | undefined => undefined,
  problem?: string,
) {
  const deps: ApiHealthDeps = {
    components: { database: up, cache: up, ...components },
    isStopping: () => stopping,
    withTimeout,
    degraded: () => ({ rateLimits: rateLimits() }),
    dataAge: { problem: () => problem },
  };
  const reported: unknown[] = [];
  const send = createSender(
    createApi({
      ...testApiOptions,
      routes: [...bindRoutes('data', apiHealthRoutes('v1'), deps), ...bindRoutes('metrics', apiHealthRoutes('v2'), deps)],
      onUnexpectedError: (error) => reported.push(error),
    }),
  );
  return { send, reported };
}

const paths = ['/v1/health-check', '/v1/live-check', '/v2/health-check', '/v2/live-check'];

describe.each(paths)('%s', (path) => {
  test('all components up: 200', async () => {
    const got = await health().send(path);
    expect(got.status).toBe(200);
    const all = { database: { status: 'up' }, cache: { status: 'up' } };
    expect(got.json).toEqual({ status: 'ok', info: all, error: {}, details: all });
    expect(got.headers['cache-control']).toBe('no-cache, no-store, must-revalidate');
    const row = [...apiHealthRoutes('v1'), ...apiHealthRoutes('v2')].find((each) => each.path === path);
    expect(row?.isPublic).toBe(true);
    expect(findMismatches(row!.response, got.json, { strict: true })).toEqual([]);
  });

  test('a query with broken percent-encoding: 400', async () => {
    expect((await health().send(`${path}?a=%`)).status).toBe(400);
  });

  test('a component is down: 503 with the error code, without the message of the driver', async () => {
    const secret = async () => {
      throw Object.assign(new Error('connect to postgres://user:word@10.0.0.7:5432 failed'), { code: 'ECONNREFUSED' });
    };
    const { send, reported } = health({ database: { probeWrite: secret, probeRead: secret } });
    const got = await send(path);
    expect(got.status).toBe(503);
    expect(got.json).toEqual({
      statusCode: 503,
      message: 'Not working: database',
      error: 'Service Unavailable',
      status: 'error',
      info: { cache: { status: 'up' } },
      details: { database: { status: 'down', message: 'database does not answer (ECONNREFUSED)' }, cache: { status: 'up' } },
    });
    expect(findErrorProblem(got)).toBeUndefined();
    expect(got.headers['cache-control']).toContain('no-store');
    expect(reported).toEqual([]);
  });

  test('a component that hangs, or rejects with something that is not an error, is down', async () => {
    const notAnError = { probeWrite: () => Promise.reject('x'), probeRead: () => Promise.reject(null) };
    const got = await health({ database: { probeWrite: () => never, probeRead: () => never }, cache: notAnError }).send(path);
    expect(got.status).toBe(503);
    expect(got.json.details).toEqual({
      database: { status: 'down', message: 'database does not answer (TOOK_TOO_LONG)' },
      cache: { status: 'down', message: 'cache does not answer' },
    });
    expect(got.json.info).toEqual({});
  });

  test('a component that throws synchronously is down', async () => {
    const thrower = () => {
      throw new Error('at once');
    };
    const got = await health({ cache: { probeWrite: thrower, probeRead: thrower } }).send(path);
    expect(got.json.details.cache).toEqual({ status: 'down', message: 'cache does not answer' });
  });

  test('rate limits that are not shared are reported, and the server stays healthy', async () => {
    const got = await health({}, false, () => 'each admits a share').send(path);
    const all = { database: { status: 'up' }, cache: { status: 'up' }, rateLimits: { status: 'up', message: 'each admits a share' } };
    expect([got.status, got.json]).toEqual([200, { status: 'ok', info: all, error: {}, details: all }]);
  });

  test('while the server is stopping: 503', async () => {
    const got = await health({}, true).send(path);
    expect(got.status).toBe(503);
    const up = { database: { status: 'up' }, cache: { status: 'up' } };
    expect(got.json).toMatchObject({ status: 'shutting_down', error: 'Service Unavailable', statusCode: 503, info: up, details: up });
    expect(findErrorProblem(got)).toBeUndefined();
  });
});

test('old data fails the health check, and the live check names it', async () => {
  const { send } = health({}, false, undefined, 'no new block for 12 s');
  const [check, live] = [await send('/v1/health-check'), await send('/v2/live-check')];
  expect([check.status, check.json.message]).toEqual([503, 'Not working: index']);
  expect(check.json.details.index).toEqual({ status: 'down', message: 'no new block for 12 s' });
  expect(live.status).toBe(200);
  expect(live.json.details.index).toEqual({ status: 'up', message: 'no new block for 12 s' });
});

test('the health check writes, the live check only reads', async () => {
  const done: string[] = [];
  const component = (name: string): HealthComponent => ({
    probeWrite: async () => void done.push(`${name} write`),
    probeRead: async () => void done.push(`${name} read`),
  });
  const { send } = health({ database: component('database'), cache: component('cache') });
  await send('/v1/health-check');
  expect(done.splice(0)).toEqual(['database write', 'cache write']);
  await send('/v1/live-check');
  expect(done).toEqual(['database read', 'cache read']);
});
