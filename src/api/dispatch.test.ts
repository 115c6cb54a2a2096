import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { hostileRounds, hostileTimeout } from '../../test/random.ts';
import type { AccessDecision, AccessRequest } from '../access/gate.ts';
import { Fault } from '../fault.ts';
import { addresses, bodyAddresses, createParamContext } from './addresses.ts';
import { apiError, notFound } from './api-error.ts';
import { type ApiOptions, bindRoutes, createApi } from './dispatch.ts';
import { hostileRequests } from './hostile-requests.fixture.ts';
import { bool, choices, pageSize, pageToken, pathText, queryText, sortOrder, startTimestamp } from './params.ts';
import { renderedJson } from './rendered-json.ts';
import { allowAllGate, createSender, createTestRequest, findErrorProblem } from './requests.fixture.ts';
import { type ApiRoute, routeDefiner } from './route.ts';
import { list, object, text } from './schema.ts';

type Deps = { readonly items: readonly number[]; readonly fail?: () => never };

const bech = 'local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u';
const defineRoute = routeDefiner<Deps>();
const common = { tag: 'Test', summary: 'Test', response: object('Any', {}), cachePolicy: 'never' } as const;

const routes: readonly ApiRoute<Deps>[] = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/v1/things/{kind}/items',
    id: 'listItems',
    params: { kind: pathText(), pageSize: pageSize(3, 10), pageToken, sortOrder: sortOrder(), start: startTimestamp },
    response: object('Items', { items: list(text()) }),
    run: async ({ items }, { pageSize: size }, { paging }) => {
      const from = paging.cursor === undefined ? 0 : paging.cursor.after + 1;
      const page = items.slice(from, from + size);
      const last = from + page.length - 1;
      return { items: page, nextPageToken: last + 1 < items.length ? paging.nextPageToken({ height: 9, after: last }) : undefined };
    },
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/v1/things/{kind}/{item}',
    id: 'getItem',
    params: { kind: pathText(), item: pathText(), flag: bool('f'), only: choices(['a', 'b']) },
    run: async (_, values, { origin }) => ({ ...values, origin, big: 18446744073709551615n, none: undefined }),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/v1/things:count',
    id: 'countThings',
    params: { of: queryText() },
    run: async ({ items }) => ({ count: items.length }),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/v1/things/{kind}/items',
    id: 'postItems',
    params: { kind: pathText(), addresses: bodyAddresses(), flag: bool('f') },
    run: async (_, { addresses: { owners: given } }) => ({ given }),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/v1/owners',
    id: 'owners',
    params: { addresses: addresses({ required: true }) },
    run: async (_, { addresses: { owners: given } }) => ({ given }),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/v1/raw/{how}',
    id: 'raw',
    params: { how: pathText() },
    run: async (_, { how }) =>
      how === 'inside' ? { it: renderedJson('1') } : renderedJson(how === 'text' ? '{"ä":1}' : Buffer.from('[1,2]').subarray(0, 5)),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/v1/fail',
    id: 'fail',
    isPublic: true,
    headers: { 'cache-control': 'no-store' },
    params: {},
    run: async ({ fail }) => fail?.(),
  }),
];

function start(deps: Partial<Deps> = {}, options: Partial<ApiOptions> = {}) {
  const reported: unknown[] = [];
  const observed: unknown[] = [];
  const handler = createApi({
    routes: bindRoutes('data', routes, { items: [1, 2, 3, 4, 5, 6, 7], ...deps }),
    gate: allowAllGate,
    context: createParamContext('local'),
    sealKey: Buffer.from('key'),
    epoch: () => 0,
    now: () => 1_700_000_000,
    caller: () => '192.0.2.1',
    origin: () => 'http://localhost:9650',
    onUnexpectedError: (error) => reported.push(error),
    observer: { now: () => 0, onResponse: (route, status) => observed.push([route?.route.id, status]) },
    ...options,
  });
  return { handler, send: createSender(handler), reported, observed };
}

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

describe('parameters', () => {
  test('all bad parameters are reported at once', async () => {
    const got = await start().send('/v1/things/x/items?pageSize=101&sortOrder=up&pageToken=1&start=-1');
    expect(got.json).toEqual({
      statusCode: 400,
      error: 'Bad Request',
      message: [
        'pageSize must not be greater than 10',
        'pageToken must be a UUID',
        'sortOrder must be one of the following values: asc, desc',
        'start must not be less than 0',
      ],
    });
  });
  test('only a parameter with `repeated` may be given more than once', async () => {
    const { send } = start();
    expect((await send('/v1/things/x/items?pageSize=1&pageSize=1')).json.message).toEqual(['pageSize must be given only once']);
    expect((await send('/v1/things/x/y?only=a&only=b,a&flag=1')).json).toMatchObject({ only: ['a', 'b'], flag: true });
  });
  test('a missing required parameter is reported', async () => {
    expect((await start().send('/v1/owners')).json.message).toEqual(['addresses must be given']);
    expect((await start().send(`/v1/owners?addresses=X-${bech}`)).json).toEqual({ given: ['3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c'] });
  });
  test('a query with bad encoding, or that is too long, gives 400', async () => {
    for (const query of ['pageSize=%', 'x=%zz', '%ff=1', `x=${'y'.repeat(40_000)}`]) {
      const got = await start().send(`/v1/things/x/items?${query}`);
      expect([query.slice(0, 10), got.status, findErrorProblem(got)]).toEqual([query.slice(0, 10), 400, undefined]);
    }
  });
  test('a plus in the query is a space', async () => {
    expect((await start().send('/v1/things/x/y?only=a,+b')).json.only).toEqual(['a', 'b']);
  });
  test('bigints are written as numbers, undefined is omitted, the origin is passed to the route', async () => {
    const got = await start().send('/v1/things/x/y');
    expect(got.text).toContain('"big":18446744073709551615');
    expect(got.text).not.toContain('none');
    expect(got.json.origin).toBe('http://localhost:9650');
  });
});

test('rendered JSON is sent unchanged, but cannot be part of another value', async () => {
  const { send, reported } = start();
  expect((await send('/v1/raw/text')).text).toBe('{"ä":1}');
  expect((await send('/v1/raw/bytes')).text).toBe('[1,2]');
  expect((await send('/v1/raw/inside')).status).toBe(500);
  expect(reported).toHaveLength(1);
});

describe('bodies', () => {
  const post = (body: string | Uint8Array) => start().send('/v1/things/x/items', { method: 'POST', body });
  test('a JSON object with string properties', async () => {
    for (const body of [`{"addresses":"${bech}"}`, ` {"x": [[1]], "addresses" : "${bech},P-${bech}" } `, `{"\\u0061ddresses":"${bech}"}`])
      expect((await post(body)).json).toEqual({ given: ['3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c'] });
  });
  test.each([
    ['', 'body must be JSON: EOF'],
    ['[]', 'body must be a JSON object'],
    ['"x"', 'body must be a JSON object'],
    ['{}', 'addresses must be given'],
    ['{"addresses":["a"]}', 'addresses must be a string'],
    ['{"addresses":null}', 'addresses must be a string'],
    ['{"addresses":"x"} 1', 'body must be one JSON object with nothing after it'],
    ['{"addresses":', 'body must be JSON: unexpected EOF'],
    ['{"addresses":"', 'body must be JSON: unexpected EOF'],
  ])('%#: not a JSON object with string properties', async (body, sentence) => {
    const got = await post(body);
    expect([got.status, got.json.message, findErrorProblem(got)]).toEqual([400, [sentence], undefined]);
  });
  test('deep nesting does not crash', async () => {
    expect((await post(`{"addresses":${'['.repeat(100_000)}`)).status).toBe(400);
    expect((await post(`{"x":${'['.repeat(5000)}${']'.repeat(5000)},"addresses":"${bech}"}`)).status).toBe(200);
  });
  test('the body is not read if the request is refused or the path is unknown', async () => {
    let asked = 0;
    const body = () => {
      asked++;
      return Buffer.from('{}');
    };
    const post = (handler: ReturnType<typeof start>['handler'], path: string) =>
      handler({ ...createTestRequest(path, { method: 'POST' }), body });
    for (const status of [401, 403, 429] as const) {
      const { handler } = start({}, { gate: { admit: async () => ({ admitted: false, status, message: 'no', headers: {} }) } });
      expect(await post(handler, '/v1/things/x/items')).toMatchObject({ status });
    }
    expect(await post(start().handler, '/v1/nothing')).toMatchObject({ status: 404 });
    expect(asked).toBe(0);
    await post(start().handler, '/v1/things/x/items');
    expect(asked).toBe(1);
  });
  test('a body that cannot be read, or is too large', async () => {
    const { handler } = start();
    const respondToBodyError = async (error: unknown) =>
      await handler({ ...createTestRequest('/v1/things/x/items', { method: 'POST' }), body: () => Promise.reject(error) });
    expect(await respondToBodyError(new Error('broken off'))).toMatchObject({ status: 400 });
    const large = await respondToBodyError(new Fault('large', { code: 'BODY_TOO_LARGE' }));
    expect(large).toMatchObject({ status: 413 });
    expect(String(large.body)).toContain('131072');
    expect(await respondToBodyError(new Fault('busy', { code: 'BODY_OVER_BUDGET' }))).toMatchObject({ status: 503 });
    expect((await post(`{"addresses":"${' '.repeat(131_072)}"}`)).status).toBe(413);
  });
});

describe('pages', () => {
  test('the tokens lead from the first page to the last', async () => {
    const { send } = start();
    const observed: number[] = [];
    let target = '/v1/things/x/items?pageSize=3';
    for (let page = 0; page < 5; page++) {
      const { json } = await send(target);
      observed.push(...json.items);
      if (json.nextPageToken === undefined) break;
      target = `/v1/things/x/items?pageSize=2&pageToken=${json.nextPageToken}`;
    }
    expect(observed).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });
  test('a token of another query gives 400, an unknown or expired one starts again', async () => {
    const { send } = start();
    const { nextPageToken } = (await send('/v1/things/x/items')).json;
    for (const other of ['/v1/things/y/items?', '/v1/things/x/items?sortOrder=asc&']) {
      const got = await send(`${other}pageToken=${nextPageToken}`);
      expect([got.status, got.json.message]).toEqual([400, ['pageToken belongs to another query']]);
    }
    const unknown = await send('/v1/things/x/items?pageToken=0f5c8917-292d-437c-a112-532cc11b1940');
    expect(unknown.json.items).toEqual([1, 2, 3]);
    const later = start({}, { now: () => 1_700_086_400 });
    expect((await later.send(`/v1/things/x/items?pageToken=${nextPageToken}`)).json.items).toEqual([1, 2, 3]);
    const restarted = start({}, { now: () => 1_700_086_399 });
    expect((await restarted.send(`/v1/things/x/items?pageToken=${nextPageToken}`)).json.items).toEqual([4, 5, 6]);
  });
});

describe('the gate', () => {
  const withGate = (decision: AccessDecision | Error, requests: AccessRequest[] = []) =>
    start(
      {},
      {
        gate: {
          admit: (request) => {
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
    ['STORE_FAILED', 503],
    ['DATABASE_DOWN', 503],
    ['INDEX_EMPTY', 503],
    ['FOLLOW_SILENT', 503],
    ['FOLLOW_NONSENSE', 502],
  ])('the fault %s gives %d without details', async (code, status) => {
    const { send, reported } = failing(new Fault('at 10.0.0.1', { code }));
    const got = await send('/v1/fail');
    expect([got.status, findErrorProblem(got), got.text.includes('10.0')]).toEqual([status, undefined, false]);
    expect(reported).toHaveLength(1);
  });
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

test(
  'any request gets a response of the right shape',
  async () => {
    const { send, reported } = start();
    await fc.assert(
      fc.asyncProperty(hostileRequests(routes), async ({ target, options }) => {
        const got = await send(target, options);
        if (got.status === 200) return;
        expect([400, 404]).toContain(got.status);
        expect(findErrorProblem(got)).toBeUndefined();
      }),
      { numRuns: hostileRounds(0.1) },
    );
    expect(reported).toEqual([]);
  },
  hostileTimeout,
);
