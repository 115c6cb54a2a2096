import { describe, expect, test } from 'bun:test';
import { Fault } from '../../base/fault.ts';
import type { AccessDecision, AccessRequest } from '../access/gate.ts';
import { apiError, notFound } from './api-error.ts';
import { createApi } from './dispatch.ts';
import { type ApiOptions, findErrorProblem } from './requests.fixture.ts';
import { type ApiRoute, bindRoutes } from './route.ts';
import { type Deps, routes, start } from './test-routes.fixture.ts';

describe('routing', () => {
  test('a literal segment has priority over a parameter', async () => {
    const { send } = start();
    expect((await send('/v1/things/x/items')).json.items).toEqual([1, 2, 3]);
    expect((await send('/v1/things/x/other')).json).toMatchObject({ kind: 'x', item: 'other' });
    expect((await send('/v1/things:count')).json).toEqual({ count: 7 });
  });
  test('accepts percent-encoding, a slash at the end, and unknown query keys', async () => {
    const { send } = start();
    expect((await send('/v1/things%3Acount/?rltoken=1&x')).json).toEqual({ count: 7 });
    expect((await send('/v1/things/a%2Fb/%C3%A4')).json).toMatchObject({ kind: 'a/b', item: 'ä' });
  });
  test('an unknown path or method gives 404', async () => {
    const { send, observed } = start();
    for (const [target, method] of [
      ['/v1/nothing', 'GET'],
      ['/v1', 'GET'],
      ['/', 'GET'],
      ['', 'GET'],
      ['/v1/things/x', 'GET'],
      ['/v1/things//items', 'GET'],
      ['/v1/things/x/items/', 'DELETE'],
      ['/v1/things:count', 'POST'],
      ['/v1/__proto__', 'GET'],
    ] as const) {
      const got = await send(target, { method });
      expect([target, got.status, findErrorProblem(got)]).toEqual([target, 404, undefined]);
      expect(got.json.message).toBe(`Cannot ${method} ${target}`);
    }
    expect(observed[0]).toEqual([undefined, 404]);
  });
  test('a path with bad percent-encoding gives 400', async () => {
    for (const target of ['/v1/things/%ff/x', '/v1/%zz', '/v1/%e0%80']) {
      const got = await start().send(target);
      expect([target, got.status, findErrorProblem(got)]).toEqual([target, 400, undefined]);
    }
  });
  test('HEAD is handled like GET', async () => {
    const { send } = start();
    const [head, get] = [await send('/v1/things:count', { method: 'HEAD' }), await send('/v1/things:count')];
    expect(head).toEqual(get);
  });
});

test('the request cache does not change any response, also when it overflows', async () => {
  const { send } = start();
  const targets = Array.from({ length: 3000 }, (_, at) => `/v1/things/${'x'.repeat(400)}${at}/y?flag=${at % 3 === 0 ? 'maybe' : at % 2}`);
  for (const round of [1, 2])
    for (const [at, target] of targets.entries()) {
      const { status, json } = await send(target);
      const good = { kind: `${'x'.repeat(400)}${at}`, flag: at % 2 === 1 };
      expect([round, at, status]).toEqual([round, at, at % 3 === 0 ? 400 : 200]);
      expect(json).toMatchObject(at % 3 === 0 ? { message: ['flag must be a boolean value'] } : good);
    }
});

test('rendered JSON is sent unchanged, but cannot be part of another value', async () => {
  const { send, reported } = start();
  expect((await send('/v1/raw/text')).text).toBe('{"ä":1}');
  expect((await send('/v1/raw/bytes')).text).toBe('[1,2]');
  expect((await send('/v1/raw/inside')).status).toBe(500);
  expect(reported).toHaveLength(1);
});

describe('the gate', () => {
  const withGate = (decision: AccessDecision | Error, requests: AccessRequest[] = []) =>
    start(
      {},
      {
        gate: {
          admit: async (request) => {
            requests.push(request);
            if (decision instanceof Error) throw decision;
            return decision;
          },
        },
      },
    );
  test('gets the API, route, key and caller', async () => {
    const requests: AccessRequest[] = [];
    const { send } = withGate({ admitted: true, headers: {} }, requests);
    await send('/v1/things:count', { headers: { 'x-glacier-api-key': 'g' } });
    await send('/v1/fail', { headers: { 'x-glacier-api-key': 'g', 'x-service-api-key': 's' } });
    await send('/v1/nothing');
    expect(requests).toEqual([
      { api: 'data', route: 'countThings', isPublic: false, key: 'g', caller: '192.0.2.1' },
      { api: 'data', route: 'fail', isPublic: true, key: 's', caller: '192.0.2.1' },
      { api: 'data', route: undefined, isPublic: false, key: undefined, caller: '192.0.2.1' },
    ]);
  });
  test('also decides about paths without a route: its headers are sent, and 429 replaces the error', async () => {
    const { send } = withGate({ admitted: true, headers: { 'ratelimit-remaining': '5' } });
    const bad = { '/v1/nothing': 404, '/v9': 404, '/v1/%zz': 400 };
    for (const [path, status] of Object.entries(bad)) {
      const got = await send(path);
      expect([path, got.status, got.headers['ratelimit-remaining']]).toEqual([path, status, '5']);
    }
    const limited = withGate({ admitted: false, status: 429, message: 'Too many', headers: { 'retry-after': '7' } });
    for (const path of Object.keys(bad)) expect([path, (await limited.send(path)).status]).toEqual([path, 429]);
    const unknownKey = withGate({ admitted: false, status: 401, message: 'Unknown key', headers: {} });
    expect((await unknownKey.send('/v1/nothing')).status).toBe(404);
  });
  test('its headers are on every response, and it decides before the parameters are read', async () => {
    const headers = { 'ratelimit-remaining': '5' };
    const { send } = withGate({ admitted: true, headers });
    for (const target of ['/v1/things:count', '/v1/things/x/items?pageSize=0', '/v1/fail'])
      expect((await send(target)).headers).toMatchObject({ ...headers, 'content-type': 'application/json; charset=utf-8' });
    const limited = withGate({ admitted: false, status: 429, message: 'Too many', headers: { 'retry-after': '7' } });
    const got = await limited.send('/v1/things/x/items?pageSize=0');
    expect(got.json).toEqual({ statusCode: 429, message: 'Too many', error: 'Too Many Requests' });
    expect(got.headers['retry-after']).toBe('7');
  });
  test('a gate that throws gives 500', async () => {
    const { send, reported } = withGate(new Error('secret'));
    const got = await send('/v1/things:count');
    expect([got.status, findErrorProblem(got), got.text.includes('secret')]).toEqual([500, undefined, false]);
    expect(reported).toHaveLength(1);
  });
});

describe('a route that throws', () => {
  const failing = (error: unknown) =>
    start({
      fail: () => {
        throw error;
      },
    });
  test('an ApiError gives its status, message and additional properties', async () => {
    const { send, reported, observed } = failing(apiError(502, 'The node sent an invalid response', { more: [1] }));
    const got = await send('/v1/fail');
    expect(got.json).toEqual({ statusCode: 502, message: 'The node sent an invalid response', error: 'Bad Gateway', more: [1] });
    expect(got.headers['cache-control']).toBe('no-store');
    expect([reported, observed]).toEqual([[], [['fail', 502]]]);
    expect((await failing(notFound('No such block')).send('/v1/fail')).json.message).toBe('No such block');
  });
  test('an unexpected error gives 500 without details', async () => {
    for (const error of [new Error('secret'), 'secret', null, new Fault('secret', { code: 'CODEC_SECRET' })]) {
      const { send, reported } = failing(error);
      const got = await send('/v1/fail');
      expect([got.status, findErrorProblem(got), got.text.includes('secret')]).toEqual([500, undefined, false]);
      expect(reported).toEqual([error]);
    }
  });
  test.each([
    ['STORE_FAILED', 503, 'reported'],
    ['STATE_DAMAGED', 503, 'reported'],
    ['FOLLOW_NONSENSE', 502, 'reported'],
    // The part that fails says it once, and callers decide how many requests there are.
    ['DATABASE_DOWN', 503, 'not reported'],
    ['DATABASE_BEHIND', 503, 'not reported'],
    ['INDEX_EMPTY', 503, 'not reported'],
    ['REDIS_UNREACHABLE', 503, 'not reported'],
    ['RELAY_BUSY', 503, 'not reported'],
    ['FOLLOW_SILENT', 503, 'not reported'],
  ])('the fault %s gives %d without details, and is %s', async (code, status, report) => {
    const { send, reported } = failing(new Fault('at 10.0.0.1', { code }));
    const got = await send('/v1/fail');
    expect([got.status, findErrorProblem(got), got.text.includes('10.0')]).toEqual([status, undefined, false]);
    expect(reported).toHaveLength(report === 'reported' ? 1 : 0);
  });
});

test('answers and their errors carry the age of the data in whole seconds; a server with blocks of its own has no such header', async () => {
  let age = 0;
  const fail = () => {
    throw notFound('No such block');
  };
  const { send } = start({ fail }, { dataAge: { seconds: () => age } });
  const ageOf = async (target: string) => (await send(target)).headers['x-serac-data-age'];
  expect(await ageOf('/v1/things:count')).toBe('0');
  age = 12.9;
  expect([await ageOf('/v1/things:count'), await ageOf('/v1/fail'), await ageOf('/v1/things/x/items?pageSize=0')]).toEqual([
    '12',
    '12',
    '12',
  ]);
  expect((await start().send('/v1/things:count')).headers['x-serac-data-age']).toBeUndefined();
});

test('two routes with the same method and path are rejected at creation', () => {
  expect(() =>
    createApi({
      ...({} as ApiOptions),
      sealKey: Buffer.from('k'),
      routes: bindRoutes('data', [routes[0], routes[0]] as ApiRoute<Deps>[], { items: [] }),
    }),
  ).toThrow('two routes');
});
