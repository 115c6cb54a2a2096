import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { hostileRounds, hostileTimeout } from '../../test/random.ts';
import { Fault } from '../fault.ts';
import { servicesOf } from '../rpc/method.ts';
import { longWork } from '../timing/long-work.fixture.ts';
import { bodyOf, type Case, cases, requestOf, router, routes, shownHeaders, strict } from './http-cases.fixture.ts';
import type { HttpRequest, HttpResponse } from './message.ts';
import { createRouter, type Route, type RouterOptions, usualMaxBody } from './router.ts';

const lenient = {
  differences: { batches: true, missingContentType: true, errorData: true, privateNetwork: true },
  report: strict.report,
  longWork,
};

const json = { 'content-type': 'application/json' };

const call = (method: string) => Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"${method}"}`);

type Shown = { readonly status: number; readonly headers: Readonly<Record<string, string | undefined>>; readonly body?: string };

function shown({ status, headers, body }: HttpResponse, one: Case): Shown {
  const bytes = Buffer.from(body as string);
  const all = shownHeaders(headers, bytes.length);
  const { 'content-length': length, ...rest } = all;
  if (one.responseBody === undefined) return { status, headers: rest };
  return { status, headers: { ...rest, 'content-length': length }, body: one.httpMethod === 'HEAD' ? '' : bytes.toString() };
}

const wanted = ({ status, responseHeaders, responseBody }: Case): Shown =>
  responseBody === undefined ? { status, headers: responseHeaders } : { status, headers: responseHeaders, body: responseBody };

describe('with --strict every captured answer comes back', () => {
  const handle = router();
  test.each(cases.map((one): [string, Case] => [one.name, one]))('%s', async (_, one) => {
    const response = await handle(requestOf(one.path, one.httpMethod, one.headers, bodyOf(one)));
    expect(shown(response, one)).toEqual(wanted(one));
  });
});

test('by default only the declared differences show', async () => {
  const handle = router({ mode: lenient });
  const differing: string[] = [];
  for (const one of cases) {
    const response = await handle(requestOf(one.path, one.httpMethod, one.headers, bodyOf(one)));
    if (response.status !== one.status) differing.push(one.name);
    else if (one.responseBody?.includes('"error"') === false && one.httpMethod !== 'HEAD')
      expect({ name: one.name, body: Buffer.from(response.body as string).toString() }).toEqual({ name: one.name, body: one.responseBody });
  }
  expect(differing).toEqual(['content-type ""']);
});

describe('routing', () => {
  const handle = router();
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const { status, headers: got, body } = await handle(requestOf(path, 'GET', headers, new Uint8Array()));
    return [status, got.location ?? body];
  };

  test('odd paths are answered, never thrown at', async () => {
    expect(await get('')).toEqual([301, '/']);
    expect(await get('*')).toEqual([301, '/%2A']);
    expect(await get('/ext/%zz')).toEqual([400, '400 Bad Request']);
    expect(await get('/ext/bc/X%')).toEqual([400, '400 Bad Request']);
    expect(await get('/%ff%00')).toEqual([404, '404 page not found\n']);
    expect(await get('/ext//bc/%58?a=b&c')).toEqual([301, '/ext/bc/X?a=b&c']);
    expect(await get('/a/../..//b%2f./c%3f%ff/')).toEqual([301, '/b/c%3F%FF/']);
    expect((await get('/ext%2fbc/X'))[0]).toBe(405);
  });

  test('routes may be added while it runs', async () => {
    const growing = new Map(routes);
    const late = router({ routes: growing });
    const request = requestOf('/ext/bc/new', 'POST', json, call('avm.getHeight'));
    expect((await late(request)).status).toBe(404);
    growing.set('/ext/bc/new', routes.get('/ext/bc/X') as NonNullable<ReturnType<typeof routes.get>>);
    expect((await late(request)).status).toBe(200);
  });

  test('a route may have any name', async () => {
    const named = router({ routes: new Map([['/ext/bc/schöner', { handler: () => ({ status: 200, headers: {}, body: '' }) }]]) });
    const ask = async (path: string) => (await named(requestOf(path, 'GET', {}, new Uint8Array()))).status;
    expect(await ask('/ext/bc/sch%C3%B6ner')).toBe(200);
    expect(await ask('/ext/bc/sch%F6ner')).toBe(404);
  });

  test('a handler answers every method, or GET alone', async () => {
    const reported: unknown[] = [];
    const own = router({
      routes: new Map([
        ['/plain', { handler: ({ query }: HttpRequest) => ({ status: 503, headers: { 'content-type': 'x' }, body: query }) }],
        [
          '/both',
          { services: (routes.get('/ext/info') as { services: never }).services, get: () => ({ status: 200, headers: {}, body: 'got' }) },
        ],
        ['/broken', { handler: () => Promise.reject(new Error('secret')) }],
      ]),
      mode: { ...strict, report: (error) => reported.push(error) },
    });
    const ask = (path: string, method: string) => own(requestOf(path, method, { origin: 'https://a' }, new Uint8Array()));
    expect(await ask('/plain?a=b', 'POST')).toMatchObject({
      status: 503,
      headers: { 'content-type': 'x', vary: 'Origin', 'access-control-allow-origin': '*' },
      body: 'a=b',
    });
    expect(await ask('/both', 'GET')).toMatchObject({ status: 200, body: 'got' });
    expect(await ask('/both', 'HEAD')).toMatchObject({ status: 405 });
    expect(await ask('/broken', 'GET')).toMatchObject({ status: 500, body: 'internal error\n' });
    expect(reported).toHaveLength(1);
  });
});

describe('bodies', () => {
  const ask = (body: () => Promise<Uint8Array>) => router()({ ...requestOf('/ext/bc/X', 'POST', json, new Uint8Array()), body });

  test('one that is too large, and one that cannot be read', async () => {
    const tooLarge = new Fault('request body exceeds 8 bytes', { code: 'BODY_TOO_LARGE' });
    expect(await ask(() => Promise.reject(tooLarge))).toMatchObject({ status: 413, body: 'request body exceeds 8 bytes\n' });
    expect(await ask(() => Promise.reject(new Error('gone')))).toMatchObject({ status: 400, body: 'request body could not be read\n' });
    for (const [code, status] of [
      ['BODY_OVER_BUDGET', 503],
      ['BODY_TIMEOUT', 408],
      ['BODY_FRAGMENTED', 400],
    ] as const)
      expect(await ask(() => Promise.reject(new Fault('why', { code })))).toMatchObject({ status, body: 'why\n' });
  });

  test('a route says how long one may be, and what a handler cannot read is no internal error', async () => {
    const asked: number[] = [];
    const body = (max: number): Promise<Uint8Array> => {
      asked.push(max);
      return Promise.reject(new Fault('too long', { code: 'BODY_TOO_LARGE' }));
    };
    const [services, reported] = [servicesOf(), [] as unknown[]];
    const own = router({
      routes: new Map<string, Route>([
        ['/long', { services, maxBody: 7 }],
        ['/usual', { services }],
        ['/handler', { handler: async (request: HttpRequest) => ({ status: 200, headers: {}, body: await request.body(5) }) }],
      ]),
      mode: { ...strict, report: (error) => void reported.push(error) },
    });
    for (const path of ['/long', '/usual', '/handler'])
      expect(await own({ ...requestOf(path, 'POST', json, new Uint8Array()), body })).toMatchObject({ status: 413, body: 'too long\n' });
    expect(asked).toEqual([7, usualMaxBody, 5]);
    expect(reported).toEqual([]);
  });

  test('one that is there makes no promise', () => {
    const response = router()(requestOf('/ext/bc/X', 'POST', json, call('avm.getHeight')));
    expect(response).not.toBeInstanceOf(Promise);
    expect(response).toMatchObject({ status: 200, body: '{"jsonrpc":"2.0","result":{"height":"6"},"id":1}\n' });
  });
});

test(
  'whatever comes, something well-formed goes back',
  async () => {
    const handle = router({ mode: { ...lenient, report: strict.report } });
    const text = fc.string({ unit: 'binary', maxLength: 40 });
    const target = fc.oneof(text, fc.constantFrom('/ext/bc/X', '/ext/bc/X?', '/ext//bc/X', '/ext/info'));
    const method = fc.oneof(text, fc.constantFrom('GET', 'POST', 'OPTIONS', 'HEAD'));
    const name = fc.constantFrom('host', 'origin', 'content-type', 'access-control-request-method', 'access-control-request-headers');
    const headers = fc.dictionary(name, fc.oneof(text, fc.constantFrom('application/json', 'localhost', 'POST', '[::1]:80')));
    await fc.assert(
      fc.asyncProperty(target, method, headers, fc.uint8Array({ maxLength: 60 }), async (path, verb, given, body) => {
        const response = await handle(requestOf(path, verb, given, body));
        expect([200, 301, 400, 403, 404, 405, 415]).toContain(response.status);
        expect(Object.values(response.headers).every((value) => typeof value === 'string')).toBe(true);
      }),
      { numRuns: hostileRounds(0.05) },
    );
  },
  hostileTimeout,
);

test('trees of paths answer JSON, also to a foreign host, and find their own way', async () => {
  const tree = createRouter({
    routes: new Map(),
    under: new Map([['v1', ({ path }) => ({ status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(path) })]]),
    nodeID: 'n',
    allowedHosts: ['localhost'],
    allowedOrigins: ['*'],
    mode: lenient,
  });
  const ask = async (path: string, headers: Record<string, string>) =>
    tree({ method: 'GET', path, query: '', header: (name) => headers[name] ?? null, body: () => new Uint8Array(0) });
  expect(await ask('/v1/a%zz', { host: 'localhost' })).toMatchObject({ status: 200, body: '"/v1/a%zz"' });
  expect(await ask('/v1', { host: 'localhost', 'avalanche-api-route': 'x' })).toMatchObject({ status: 200 });
  const foreign = await ask('/v1/a', { host: 'evil.example' });
  expect([foreign.status, foreign.headers['content-type']]).toEqual([403, 'application/json; charset=utf-8']);
  expect(JSON.parse(foreign.body as string)).toMatchObject({ statusCode: 403, error: 'Forbidden' });
  expect(await ask('/other%zz', { host: 'localhost' })).toMatchObject({ status: 400 });
});

describe('pages of other origins', () => {
  const tree = new Map([['v1', () => ({ status: 200, headers: { 'ratelimit-remaining': '5' }, body: '{}' })]]);
  const origin = { origin: 'https://app.example' };
  const exposed = 'RateLimit-Policy, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After';
  const preflight = (path: string, headers: Record<string, string>, options: Partial<RouterOptions> = {}) =>
    router({ under: tree, ...options })(
      requestOf(path, 'OPTIONS', { ...origin, 'access-control-request-method': 'GET', ...headers }, new Uint8Array()),
    ) as HttpResponse;

  test('may send API keys to trees of paths, not to AvalancheGo paths', () => {
    for (const name of ['x-service-api-key', 'x-glacier-api-key']) {
      const ask = { 'access-control-request-headers': `content-type,${name}` };
      expect(preflight('/v1/chains', ask).headers).toMatchObject({ 'access-control-allow-origin': '*' });
      expect(preflight('/v1/chains', ask).headers['access-control-allow-headers']?.toLowerCase()).toBe(`content-type, ${name}`);
      expect(preflight('/ext/bc/X', ask, { mode: lenient }).headers['access-control-allow-headers']).toBeUndefined();
    }
    expect(
      preflight('/v1/chains', { 'access-control-request-headers': 'authorization' }).headers['access-control-allow-origin'],
    ).toBeUndefined();
  });

  test('may read rate limits there, whatever list of origins there is', async () => {
    for (const allowedOrigins of [['*'], ['https://app.example']]) {
      const ask = async (path: string, headers: Record<string, string>) =>
        (await router({ under: tree, allowedOrigins })(requestOf(path, 'GET', headers, new Uint8Array()))).headers;
      expect((await ask('/v1/chains', origin))['access-control-expose-headers']).toBe(exposed);
      expect((await ask('/v1/chains', {}))['access-control-expose-headers']).toBeUndefined();
      expect((await ask('/ext/bc/X', origin))['access-control-expose-headers']).toBeUndefined();
    }
    const elsewhere = router({ under: tree, allowedOrigins: ['https://other.example'] });
    expect(
      (await elsewhere(requestOf('/v1/chains', 'GET', origin, new Uint8Array()))).headers['access-control-expose-headers'],
    ).toBeUndefined();
  });

  test('may reach a private network if they ask and their origin is allowed; AvalancheGo paths not in strict mode', () => {
    const ask = { 'access-control-request-private-network': 'true' };
    const granted = (path: string, headers: Record<string, string>, options?: Partial<RouterOptions>) =>
      preflight(path, headers, options).headers['access-control-allow-private-network'];
    expect(granted('/v1/chains', ask)).toBe('true');
    expect(granted('/ext/bc/X', ask, { mode: lenient })).toBe('true');
    expect(granted('/ext/bc/X', ask)).toBeUndefined();
    expect(granted('/v1/chains', {})).toBeUndefined();
    expect(granted('/v1/chains', ask, { allowedOrigins: ['https://other.example'] })).toBeUndefined();
  });
});
