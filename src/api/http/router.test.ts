import { describe, expect, test } from 'bun:test';
import { Fault } from '../../base/fault.ts';
import { longWork } from '../../base/timing/long-work.fixture.ts';
import { combineServices } from '../rpc/method.ts';
import {
  bodyOf,
  capturedHeaders,
  createHttpRequest,
  createTestRouter,
  type HttpCase,
  httpCases,
  strictOptions,
  type TestRouterOptions,
  testRoutes,
} from './http-cases.fixture.ts';
import type { HttpRequest, HttpResponse } from './message.ts';
import { createRouter, defaultMaxBody, type HttpRoute, type HttpRoutes } from './router.ts';

const lenient = {
  differences: { batches: true, missingContentType: true, underscoreNames: true, errorData: true, privateNetwork: true },
  onUnexpectedError: strictOptions.onUnexpectedError,
  longWork,
};

const json = { 'content-type': 'application/json' };

const call = (method: string) => Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"${method}"}`);

type ComparableResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
};

function comparable({ status, headers, body }: HttpResponse, one: HttpCase): ComparableResponse {
  const bytes = Buffer.from(body as string);
  const all = capturedHeaders(headers, bytes.length);
  const { 'content-length': length, ...rest } = all;
  if (one.responseBody === undefined) return { status, headers: rest };
  return { status, headers: { ...rest, 'content-length': length }, body: one.httpMethod === 'HEAD' ? '' : bytes.toString() };
}

const expectedResponse = ({ status, responseHeaders, responseBody }: HttpCase): ComparableResponse =>
  responseBody === undefined ? { status, headers: responseHeaders } : { status, headers: responseHeaders, body: responseBody };

describe('--strict: every response equals the captured one', () => {
  const handle = createTestRouter();
  test.each(httpCases.map((one): [string, HttpCase] => [one.name, one]))('%s', async (_, one) => {
    const response = await handle(createHttpRequest(one.path, one.httpMethod, one.headers, bodyOf(one)));
    expect(comparable(response, one)).toEqual(expectedResponse(one));
  });
});

test('by default responses differ only by the declared differences', async () => {
  const handle = createTestRouter({ rpcOptions: lenient });
  const differing: string[] = [];
  for (const one of httpCases) {
    const response = await handle(createHttpRequest(one.path, one.httpMethod, one.headers, bodyOf(one)));
    if (response.status !== one.status) differing.push(one.name);
    else if (one.responseBody?.includes('"error"') === false && one.httpMethod !== 'HEAD')
      expect({ name: one.name, body: Buffer.from(response.body as string).toString() }).toEqual({ name: one.name, body: one.responseBody });
  }
  expect(differing).toEqual(['content-type ""']);
});

describe('routing', () => {
  const handle = createTestRouter();
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const { status, headers: got, body } = await handle(createHttpRequest(path, 'GET', headers, new Uint8Array()));
    return [status, got.location ?? body];
  };

  test('unusual paths have a response and do not throw', async () => {
    expect(await get('')).toEqual([301, '/']);
    expect(await get('*')).toEqual([301, '/%2A']);
    expect(await get('/ext/%zz')).toEqual([400, '400 Bad Request']);
    expect(await get('/ext/bc/X%')).toEqual([400, '400 Bad Request']);
    expect(await get('/%ff%00')).toEqual([404, '404 page not found\n']);
    expect(await get('/ext//bc/%58?a=b&c')).toEqual([301, '/ext/bc/X?a=b&c']);
    expect(await get('/a/../..//b%2f./c%3f%ff/')).toEqual([301, '/b/c%3F%FF/']);
    expect((await get('/ext%2fbc/X'))[0]).toBe(405);
  });

  test('routes can be added later', async () => {
    const growing = new Map(testRoutes);
    const late = createTestRouter({ routes: growing });
    const request = createHttpRequest('/ext/bc/new', 'POST', json, call('avm.getHeight'));
    expect((await late(request)).status).toBe(404);
    growing.set('/ext/bc/new', testRoutes.get('/ext/bc/X') as NonNullable<ReturnType<typeof testRoutes.get>>);
    expect((await late(request)).status).toBe(200);
  });

  test('a path may contain any characters', async () => {
    const named = createTestRouter({
      routes: new Map([['/ext/bc/schöner', { handler: async () => ({ status: 200, headers: {}, body: '' }) }]]),
    });
    const send = async (path: string) => (await named(createHttpRequest(path, 'GET', {}, new Uint8Array()))).status;
    expect(await send('/ext/bc/sch%C3%B6ner')).toBe(200);
    expect(await send('/ext/bc/sch%F6ner')).toBe(404);
  });

  test('a handler serves every method, or only GET', async () => {
    const reported: unknown[] = [];
    const own = createTestRouter({
      routes: new Map([
        ['/plain', { handler: async ({ query }: HttpRequest) => ({ status: 503, headers: { 'content-type': 'x' }, body: query }) }],
        [
          '/both',
          {
            services: (testRoutes.get('/ext/info') as { services: never }).services,
            get: async () => ({ status: 200, headers: {}, body: 'got' }),
          },
        ],
        ['/broken', { handler: () => Promise.reject(new Error('secret')) }],
      ]),
      rpcOptions: { ...strictOptions, onUnexpectedError: (error) => reported.push(error) },
    });
    const send = (path: string, method: string) => own(createHttpRequest(path, method, { origin: 'https://a' }, new Uint8Array()));
    expect(await send('/plain?a=b', 'POST')).toMatchObject({
      status: 503,
      headers: { 'content-type': 'x', vary: 'Origin', 'access-control-allow-origin': '*' },
      body: 'a=b',
    });
    expect(await send('/both', 'GET')).toMatchObject({ status: 200, body: 'got' });
    expect(await send('/both', 'HEAD')).toMatchObject({ status: 405 });
    expect(await send('/broken', 'GET')).toMatchObject({ status: 500, body: 'internal error\n' });
    expect(reported).toHaveLength(1);
  });
});

describe('bodies', () => {
  const send = (body: () => Promise<Uint8Array>) =>
    createTestRouter()({ ...createHttpRequest('/ext/bc/X', 'POST', json, new Uint8Array()), body });

  test('a body that is too large or cannot be read', async () => {
    const tooLarge = new Fault('request body exceeds 8 bytes', { code: 'BODY_TOO_LARGE' });
    expect(await send(() => Promise.reject(tooLarge))).toMatchObject({ status: 413, body: 'request body exceeds 8 bytes\n' });
    expect(await send(() => Promise.reject(new Error('gone')))).toMatchObject({ status: 400, body: 'request body could not be read\n' });
    for (const [code, status] of [
      ['BODY_OVER_BUDGET', 503],
      ['BODY_TIMEOUT', 408],
      ['BODY_FRAGMENTED', 400],
    ] as const)
      expect(await send(() => Promise.reject(new Fault('why', { code })))).toMatchObject({ status, body: 'why\n' });
  });

  test('a route sets the size limit, and a body fault in a handler is not an internal error', async () => {
    const limits: number[] = [];
    const body = (max: number): Promise<Uint8Array> => {
      limits.push(max);
      return Promise.reject(new Fault('too long', { code: 'BODY_TOO_LARGE' }));
    };
    const [services, reported] = [combineServices(), [] as unknown[]];
    const own = createTestRouter({
      routes: new Map<string, HttpRoute>([
        ['/long', { services, maxBody: 7 }],
        ['/usual', { services }],
        ['/handler', { handler: async (request: HttpRequest) => ({ status: 200, headers: {}, body: await request.body(5) }) }],
      ]),
      rpcOptions: { ...strictOptions, onUnexpectedError: (error) => void reported.push(error) },
    });
    for (const path of ['/long', '/usual', '/handler'])
      expect(await own({ ...createHttpRequest(path, 'POST', json, new Uint8Array()), body })).toMatchObject({
        status: 413,
        body: 'too long\n',
      });
    expect(limits).toEqual([7, defaultMaxBody, 5]);
    expect(reported).toEqual([]);
  });
});

test('prefix handlers parse their own paths, and a forbidden host gets a JSON error', async () => {
  const route = createRouter({
    routes: new Map(),
    prefixHandlers: new Map([
      ['v1', async ({ path }) => ({ status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(path) })],
    ]),
    nodeID: 'n',
    allowedHosts: ['localhost'],
    allowedOrigins: ['*'],
    rpcOptions: lenient,
  });
  const send = async (path: string, headers: Record<string, string>) =>
    route({ method: 'GET', path, query: '', header: (name) => headers[name] ?? null, body: async () => new Uint8Array(0) });
  expect(await send('/v1/a%zz', { host: 'localhost' })).toMatchObject({ status: 200, body: '"/v1/a%zz"' });
  expect(await send('/v1', { host: 'localhost', 'avalanche-api-route': 'x' })).toMatchObject({ status: 200 });
  const forbidden = await send('/v1/a', { host: 'evil.example' });
  expect([forbidden.status, forbidden.headers['content-type']]).toEqual([403, 'application/json; charset=utf-8']);
  expect(JSON.parse(forbidden.body as string)).toMatchObject({ statusCode: 403, error: 'Forbidden' });
  expect(await send('/other%zz', { host: 'localhost' })).toMatchObject({ status: 400 });
});

describe('web pages of other origins', () => {
  const prefixHandlers = new Map([['v1', async () => ({ status: 200, headers: { 'ratelimit-remaining': '5' }, body: '{}' })]]);
  const origin = { origin: 'https://app.example' };
  const exposed = 'ratelimit-policy, ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, x-serac-height, x-serac-data-age';
  const preflight = (path: string, headers: Record<string, string>, options: TestRouterOptions = {}) =>
    createTestRouter({ prefixHandlers, ...options })(
      createHttpRequest(path, 'OPTIONS', { ...origin, 'access-control-request-method': 'GET', ...headers }, new Uint8Array()),
    );

  test('may send API keys and a height to prefix handlers, but not to the paths of AvalancheGo', async () => {
    for (const name of ['x-service-api-key', 'x-glacier-api-key', 'x-serac-min-height']) {
      const send = { 'access-control-request-headers': `content-type,${name}` };
      expect((await preflight('/v1/chains', send)).headers).toMatchObject({ 'access-control-allow-origin': '*' });
      expect((await preflight('/v1/chains', send)).headers['access-control-allow-headers']?.toLowerCase()).toBe(`content-type, ${name}`);
      expect((await preflight('/ext/bc/X', send, { rpcOptions: lenient })).headers['access-control-allow-headers']).toBeUndefined();
    }
    expect(
      (await preflight('/v1/chains', { 'access-control-request-headers': 'authorization' })).headers['access-control-allow-origin'],
    ).toBeUndefined();
  });

  test('may use PATCH and DELETE of prefix handlers, and send API keys and Last-Event-ID to own routes', async () => {
    const granted = async (path: string, headers: Record<string, string>, routes?: HttpRoutes) =>
      (await preflight(path, headers, routes && { routes })).headers['access-control-allow-origin'];
    for (const method of ['PATCH', 'DELETE']) {
      expect(await granted('/v1/webhooks/1', { 'access-control-request-method': method })).toBe('*');
      expect(await granted('/ext/bc/X', { 'access-control-request-method': method })).toBeUndefined();
    }
    const handler = async () => ({ status: 200, headers: {}, body: '' });
    const send = { 'access-control-request-headers': 'x-service-api-key,last-event-id' };
    const routes: HttpRoutes = new Map([
      ['/own', { handler, isOwn: true }],
      ['/other', { handler }],
    ]);
    expect(await granted('/own', send, routes)).toBe('*');
    expect(await granted('/other', send, routes)).toBeUndefined();
  });

  test('may read the headers of rate limits and of the height of prefix handlers if their origin is allowed', async () => {
    for (const allowedOrigins of [['*'], ['https://app.example']]) {
      const send = async (path: string, headers: Record<string, string>) =>
        (await createTestRouter({ prefixHandlers, allowedOrigins })(createHttpRequest(path, 'GET', headers, new Uint8Array()))).headers;
      expect((await send('/v1/chains', origin))['access-control-expose-headers']).toBe(exposed);
      expect((await send('/v1/chains', {}))['access-control-expose-headers']).toBeUndefined();
      expect((await send('/ext/bc/X', origin))['access-control-expose-headers']).toBeUndefined();
    }
    const elsewhere = createTestRouter({ prefixHandlers, allowedOrigins: ['https://other.example'] });
    expect(
      (await elsewhere(createHttpRequest('/v1/chains', 'GET', origin, new Uint8Array()))).headers['access-control-expose-headers'],
    ).toBeUndefined();
  });

  test('may reach a private network if they request it and their origin is allowed; --strict: not the paths of AvalancheGo', async () => {
    const send = { 'access-control-request-private-network': 'true' };
    const granted = async (path: string, headers: Record<string, string>, options?: TestRouterOptions) =>
      (await preflight(path, headers, options)).headers['access-control-allow-private-network'];
    expect(await granted('/v1/chains', send)).toBe('true');
    expect(await granted('/ext/bc/X', send, { rpcOptions: lenient })).toBe('true');
    expect(await granted('/ext/bc/X', send)).toBeUndefined();
    expect(await granted('/v1/chains', {})).toBeUndefined();
    expect(await granted('/v1/chains', send, { allowedOrigins: ['https://other.example'] })).toBeUndefined();
  });
});
