import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { hostileRounds, hostileTimeout } from '../../test/random.ts';
import type { Admission, Visit } from '../access/gate.ts';
import { Fault } from '../fault.ts';
import { addresses, bodyAddresses, paramContext } from './addresses.ts';
import { type ApiOptions, bind, createApi } from './dispatch.ts';
import { hostileRequests } from './hostile.fixture.ts';
import { bool, choices, pageSize, pageToken, pathText, queryText, sortOrder, startTimestamp } from './params.ts';
import { raw } from './raw.ts';
import { notFound, refuse } from './refusal.ts';
import { asker, errorFlaw, openGate, requestOf } from './requests.fixture.ts';
import { type Route, route } from './route.ts';
import { list, object, text } from './schema.ts';

type Deps = { readonly items: readonly number[]; readonly fail?: () => never };

const bech = 'local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u';
const row = route<Deps>();
const plain = { tag: 'Test', summary: 'Test', response: object('Any', {}), keep: 'never' } as const;

const rows: readonly Route<Deps>[] = [
  row({
    ...plain,
    method: 'GET',
    path: '/v1/things/{kind}/items',
    id: 'listItems',
    params: { kind: pathText(), pageSize: pageSize(3, 10), pageToken, sortOrder: sortOrder(), start: startTimestamp },
    response: object('Items', { items: list(text()) }),
    run: async ({ items }, { pageSize: size }, { pages }) => {
      const from = pages.asked === undefined ? 0 : pages.asked.after + 1;
      const page = items.slice(from, from + size);
      const last = from + page.length - 1;
      return { items: page, nextPageToken: last + 1 < items.length ? pages.next({ height: 9, after: last }) : undefined };
    },
  }),
  row({
    ...plain,
    method: 'GET',
    path: '/v1/things/{kind}/{item}',
    id: 'getItem',
    params: { kind: pathText(), item: pathText(), flag: bool('f'), only: choices(['a', 'b']) },
    run: async (_, values, { origin }) => ({ ...values, origin, big: 18446744073709551615n, none: undefined }),
  }),
  row({
    ...plain,
    method: 'GET',
    path: '/v1/things:count',
    id: 'countThings',
    params: { of: queryText() },
    run: async ({ items }) => ({ count: items.length }),
  }),
  row({
    ...plain,
    method: 'POST',
    path: '/v1/things/{kind}/items',
    id: 'postItems',
    params: { kind: pathText(), addresses: bodyAddresses(), flag: bool('f') },
    run: async (_, { addresses: { owners: given } }) => ({ given }),
  }),
  row({
    ...plain,
    method: 'GET',
    path: '/v1/owners',
    id: 'owners',
    params: { addresses: addresses({ required: true }) },
    run: async (_, { addresses: { owners: given } }) => ({ given }),
  }),
  row({
    ...plain,
    method: 'GET',
    path: '/v1/raw/{how}',
    id: 'raw',
    params: { how: pathText() },
    run: async (_, { how }) =>
      how === 'inside' ? { it: raw('1') } : raw(how === 'text' ? '{"ä":1}' : Buffer.from('[1,2]').subarray(0, 5)),
  }),
  row({
    ...plain,
    method: 'GET',
    path: '/v1/fail',
    id: 'fail',
    open: true,
    headers: { 'cache-control': 'no-store' },
    params: {},
    run: async ({ fail }) => fail?.(),
  }),
];

function start(deps: Partial<Deps> = {}, options: Partial<ApiOptions> = {}) {
  const reported: unknown[] = [];
  const seen: unknown[] = [];
  const handler = createApi({
    routes: bind('data', rows, { items: [1, 2, 3, 4, 5, 6, 7], ...deps }),
    gate: openGate,
    context: paramContext('local'),
    sealKey: Buffer.from('key'),
    epoch: () => 0,
    now: () => 1_700_000_000,
    caller: () => '192.0.2.1',
    origin: () => 'http://localhost:9650',
    report: (error) => reported.push(error),
    observer: { now: () => 0, answered: (route, status) => seen.push([route?.row.id, status]) },
    ...options,
  });
  return { handler, ask: asker(handler), reported, seen };
}

describe('a row is found', () => {
  test('by its path, literal parts before parameters', async () => {
    const { ask } = start();
    expect((await ask('/v1/things/x/items')).json.items).toEqual([1, 2, 3]);
    expect((await ask('/v1/things/x/other')).json).toMatchObject({ kind: 'x', item: 'other' });
    expect((await ask('/v1/things:count')).json).toEqual({ count: 7 });
  });
  test('percent-encoded, with a slash at the end, with keys it does not know', async () => {
    const { ask } = start();
    expect((await ask('/v1/things%3Acount/?rltoken=1&x')).json).toEqual({ count: 7 });
    expect((await ask('/v1/things/a%2Fb/%C3%A4')).json).toMatchObject({ kind: 'a/b', item: 'ä' });
  });
  test('or not: 404, whatever the method', async () => {
    const { ask, seen } = start();
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
      const got = await ask(target, { method });
      expect([target, got.status, errorFlaw(got)]).toEqual([target, 404, undefined]);
      expect(got.json.message).toBe(`Cannot ${method} ${target}`);
    }
    expect(seen[0]).toEqual([undefined, 404]);
  });
  test('a path that is no text is 400', async () => {
    for (const target of ['/v1/things/%ff/x', '/v1/%zz', '/v1/%e0%80']) {
      const got = await start().ask(target);
      expect([target, got.status, errorFlaw(got)]).toEqual([target, 400, undefined]);
    }
  });
  test('HEAD is GET', async () => {
    const { ask } = start();
    const [head, get] = [await ask('/v1/things:count', { method: 'HEAD' }), await ask('/v1/things:count')];
    expect(head).toEqual(get);
  });
});

test('what is remembered of a request changes no answer, however many there are', async () => {
  const { ask } = start();
  const targets = Array.from({ length: 3000 }, (_, at) => `/v1/things/${'x'.repeat(400)}${at}/y?flag=${at % 3 === 0 ? 'maybe' : at % 2}`);
  for (const round of [1, 2])
    for (const [at, target] of targets.entries()) {
      const { status, json } = await ask(target);
      const good = { kind: `${'x'.repeat(400)}${at}`, flag: at % 2 === 1 };
      expect([round, at, status]).toEqual([round, at, at % 3 === 0 ? 400 : 200]);
      expect(json).toMatchObject(at % 3 === 0 ? { message: ['flag must be a boolean value'] } : good);
    }
});

describe('parameters', () => {
  test('all bad ones are named at once', async () => {
    const got = await start().ask('/v1/things/x/items?pageSize=101&sortOrder=up&pageToken=1&start=-1');
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
  test('single ones once, others as often as wanted', async () => {
    const { ask } = start();
    expect((await ask('/v1/things/x/items?pageSize=1&pageSize=1')).json.message).toEqual(['pageSize must be given only once']);
    expect((await ask('/v1/things/x/y?only=a&only=b,a&flag=1')).json).toMatchObject({ only: ['a', 'b'], flag: true });
  });
  test('required ones are missed', async () => {
    expect((await start().ask('/v1/owners')).json.message).toEqual(['addresses must be given']);
    expect((await start().ask(`/v1/owners?addresses=X-${bech}`)).json).toEqual({ given: ['3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c'] });
  });
  test('a query must be text, and no longer than any real one', async () => {
    for (const query of ['pageSize=%', 'x=%zz', '%ff=1', `x=${'y'.repeat(40_000)}`]) {
      const got = await start().ask(`/v1/things/x/items?${query}`);
      expect([query.slice(0, 10), got.status, errorFlaw(got)]).toEqual([query.slice(0, 10), 400, undefined]);
    }
  });
  test('a plus is a blank', async () => {
    expect((await start().ask('/v1/things/x/y?only=a,+b')).json.only).toEqual(['a', 'b']);
  });
  test('bigints are bare digits, undefined is left out, the origin is known', async () => {
    const got = await start().ask('/v1/things/x/y');
    expect(got.text).toContain('"big":18446744073709551615');
    expect(got.text).not.toContain('none');
    expect(got.json.origin).toBe('http://localhost:9650');
  });
});

test('what is JSON already is sent as it stands, but only as a whole', async () => {
  const { ask, reported } = start();
  expect((await ask('/v1/raw/text')).text).toBe('{"ä":1}');
  expect((await ask('/v1/raw/bytes')).text).toBe('[1,2]');
  expect((await ask('/v1/raw/inside')).status).toBe(500);
  expect(reported).toHaveLength(1);
});

describe('bodies', () => {
  const post = (body: string | Uint8Array) => start().ask('/v1/things/x/items', { method: 'POST', body });
  test('one object with texts', async () => {
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
    ['{"addresses":"x"} 1', 'body must be one JSON object and nothing after it'],
    ['{"addresses":', 'body must be JSON: unexpected EOF'],
    ['{"addresses":"', 'body must be JSON: unexpected EOF'],
  ])('%#: not an object with texts', async (body, sentence) => {
    const got = await post(body);
    expect([got.status, got.json.message, errorFlaw(got)]).toEqual([400, [sentence], undefined]);
  });
  test('deep nesting ends in an answer', async () => {
    expect((await post(`{"addresses":${'['.repeat(100_000)}`)).status).toBe(400);
    expect((await post(`{"x":${'['.repeat(5000)}${']'.repeat(5000)},"addresses":"${bech}"}`)).status).toBe(200);
  });
  test('is not asked for when the caller is refused or the path is unknown', async () => {
    let asked = 0;
    const body = () => {
      asked++;
      return Buffer.from('{}');
    };
    const post = (handler: ReturnType<typeof start>['handler'], path: string) => handler({ ...requestOf(path, { method: 'POST' }), body });
    for (const status of [401, 403, 429] as const) {
      const { handler } = start({}, { gate: { admit: async () => ({ admitted: false, status, message: 'no', headers: {} }) } });
      expect(await post(handler, '/v1/things/x/items')).toMatchObject({ status });
    }
    expect(await post(start().handler, '/v1/nothing')).toMatchObject({ status: 404 });
    expect(asked).toBe(0);
    await post(start().handler, '/v1/things/x/items');
    expect(asked).toBe(1);
  });
  test('a body that cannot be read, or is too large for the server', async () => {
    const { handler } = start();
    const answered = async (error: unknown) =>
      await handler({ ...requestOf('/v1/things/x/items', { method: 'POST' }), body: () => Promise.reject(error) });
    expect(await answered(new Error('broken off'))).toMatchObject({ status: 400 });
    const large = await answered(new Fault('large', { code: 'BODY_TOO_LARGE' }));
    expect(large).toMatchObject({ status: 413 });
    expect(String(large.body)).toContain('131072');
    expect(await answered(new Fault('busy', { code: 'BODY_OVER_BUDGET' }))).toMatchObject({ status: 503 });
    expect((await post(`{"addresses":"${' '.repeat(131_072)}"}`)).status).toBe(413);
  });
});

describe('pages', () => {
  test('lead from one to the next, to the end', async () => {
    const { ask } = start();
    const seen: number[] = [];
    let target = '/v1/things/x/items?pageSize=3';
    for (let page = 0; page < 5; page++) {
      const { json } = await ask(target);
      seen.push(...json.items);
      if (json.nextPageToken === undefined) break;
      target = `/v1/things/x/items?pageSize=2&pageToken=${json.nextPageToken}`;
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });
  test('a token of another query is refused, one that nobody knows starts again', async () => {
    const { ask } = start();
    const { nextPageToken } = (await ask('/v1/things/x/items')).json;
    for (const other of ['/v1/things/y/items?', '/v1/things/x/items?sortOrder=asc&']) {
      const got = await ask(`${other}pageToken=${nextPageToken}`);
      expect([got.status, got.json.message]).toEqual([400, ['pageToken belongs to another query']]);
    }
    const unknown = await ask('/v1/things/x/items?pageToken=0f5c8917-292d-437c-a112-532cc11b1940');
    expect(unknown.json.items).toEqual([1, 2, 3]);
    const later = start({}, { now: () => 1_700_086_400 });
    expect((await later.ask(`/v1/things/x/items?pageToken=${nextPageToken}`)).json.items).toEqual([1, 2, 3]);
    const restarted = start({}, { now: () => 1_700_086_399 });
    expect((await restarted.ask(`/v1/things/x/items?pageToken=${nextPageToken}`)).json.items).toEqual([4, 5, 6]);
  });
});

describe('the gate', () => {
  const withGate = (admission: Admission | Error, visits: Visit[] = []) =>
    start(
      {},
      {
        gate: {
          admit: (visit) => {
            visits.push(visit);
            if (admission instanceof Error) throw admission;
            return admission;
          },
        },
      },
    );
  test('is told who asks for what', async () => {
    const visits: Visit[] = [];
    const { ask } = withGate({ admitted: true, headers: {} }, visits);
    await ask('/v1/things:count', { headers: { 'x-glacier-api-key': 'g' } });
    await ask('/v1/fail', { headers: { 'x-glacier-api-key': 'g', 'x-service-api-key': 's' } });
    await ask('/v1/nothing');
    expect(visits).toEqual([
      { api: 'data', route: 'countThings', open: false, key: 'g', caller: '192.0.2.1' },
      { api: 'data', route: 'fail', open: true, key: 's', caller: '192.0.2.1' },
      { api: 'data', route: undefined, open: false, key: undefined, caller: '192.0.2.1' },
    ]);
  });
  test('counts paths without a route: their answers carry its headers, and too many of them are refused', async () => {
    const { ask } = withGate({ admitted: true, headers: { 'ratelimit-remaining': '5' } });
    const bad = { '/v1/nothing': 404, '/v9': 404, '/v1/%zz': 400 };
    for (const [path, status] of Object.entries(bad)) {
      const got = await ask(path);
      expect([path, got.status, got.headers['ratelimit-remaining']]).toEqual([path, status, '5']);
    }
    const full = withGate({ admitted: false, status: 429, message: 'Too many', headers: { 'retry-after': '7' } });
    for (const path of Object.keys(bad)) expect([path, (await full.ask(path)).status]).toEqual([path, 429]);
    const unknownKey = withGate({ admitted: false, status: 401, message: 'Unknown key', headers: {} });
    expect((await unknownKey.ask('/v1/nothing')).status).toBe(404);
  });
  test('its headers are on every answer, and it is asked before anything is judged', async () => {
    const headers = { 'ratelimit-remaining': '5' };
    const { ask } = withGate({ admitted: true, headers });
    for (const target of ['/v1/things:count', '/v1/things/x/items?pageSize=0', '/v1/fail'])
      expect((await ask(target)).headers).toMatchObject({ ...headers, 'content-type': 'application/json; charset=utf-8' });
    const shut = withGate({ admitted: false, status: 429, message: 'Too many', headers: { 'retry-after': '7' } });
    const got = await shut.ask('/v1/things/x/items?pageSize=0');
    expect(got.json).toEqual({ statusCode: 429, message: 'Too many', error: 'Too Many Requests' });
    expect(got.headers['retry-after']).toBe('7');
  });
  test('that breaks lets nobody in', async () => {
    const { ask, reported } = withGate(new Error('secret'));
    const got = await ask('/v1/things:count');
    expect([got.status, errorFlaw(got), got.text.includes('secret')]).toEqual([500, undefined, false]);
    expect(reported).toHaveLength(1);
  });
});

describe('a run that fails', () => {
  const failing = (error: unknown) =>
    start({
      fail: () => {
        throw error;
      },
    });
  test('on purpose: the status it names, with what it adds', async () => {
    const { ask, reported, seen } = failing(refuse(502, 'The node answers nonsense', { more: [1] }));
    const got = await ask('/v1/fail');
    expect(got.json).toEqual({ statusCode: 502, message: 'The node answers nonsense', error: 'Bad Gateway', more: [1] });
    expect(got.headers['cache-control']).toBe('no-store');
    expect([reported, seen]).toEqual([[], [['fail', 502]]]);
    expect((await failing(notFound('No such block')).ask('/v1/fail')).json.message).toBe('No such block');
  });
  test('unexpectedly: 500 and not a word of why', async () => {
    for (const error of [new Error('secret'), 'secret', null, new Fault('secret', { code: 'CODEC_SECRET' })]) {
      const { ask, reported } = failing(error);
      const got = await ask('/v1/fail');
      expect([got.status, errorFlaw(got), got.text.includes('secret')]).toEqual([500, undefined, false]);
      expect(reported).toEqual([error]);
    }
  });
  test.each([
    ['STORE_FAILED', 503],
    ['DATABASE_DOWN', 503],
    ['INDEX_EMPTY', 503],
    ['FOLLOW_SILENT', 503],
    ['FOLLOW_NONSENSE', 502],
  ])('since what it stands on does not work (%s): %d', async (code, status) => {
    const { ask, reported } = failing(new Fault('at 10.0.0.1', { code }));
    const got = await ask('/v1/fail');
    expect([got.status, errorFlaw(got), got.text.includes('10.0')]).toEqual([status, undefined, false]);
    expect(reported).toHaveLength(1);
  });
});

test('two rows for one place are refused when the table is made', () => {
  expect(() =>
    createApi({
      ...({} as ApiOptions),
      sealKey: Buffer.from('k'),
      routes: bind('data', [rows[0], rows[0]] as Route<Deps>[], { items: [] }),
    }),
  ).toThrow('two rows');
});

test(
  'whatever is sent, an answer of the right shape comes back',
  async () => {
    const { ask, reported } = start();
    await fc.assert(
      fc.asyncProperty(hostileRequests(rows), async ({ target, sent }) => {
        const got = await ask(target, sent);
        if (got.status === 200) return;
        expect([400, 404]).toContain(got.status);
        expect(errorFlaw(got)).toBeUndefined();
      }),
      { numRuns: hostileRounds(0.1) },
    );
    expect(reported).toEqual([]);
  },
  hostileTimeout,
);
